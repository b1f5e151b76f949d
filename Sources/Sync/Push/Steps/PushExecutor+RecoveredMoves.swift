import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State

/// Moves and copies that an interrupted push left under way.
extension PushExecutor {
  func recover(_ steps: [PushStep], transfersTo target: Int64) throws {
    var steps = steps
    if remote.isGmail {
      try recoverMovesOnGmail(steps.filter { $0.kind == .move }, to: target)
      steps.removeAll { $0.kind == .move }
    }
    for (mailbox, group) in Dictionary(grouping: steps, by: \.source).sorted(by: {
      $0.key < $1.key
    }) {
      guard let begun = try whatMayHaveHappened(group, from: mailbox) else { continue }
      let known = try adopted(begun, in: target)
      let unknown = begun.filter { known[$0.number] == nil }
      guard let found = try find(unknown, in: target, whole: true) else { continue }
      for step in begun {
        if let place = known[step.number] ?? found[step.number] {
          try settle(step, at: place, isKnown: known[step.number] != nil)
        } else if try step.kind != .unconfirmed || source(of: step) == nil {
          try drop([step])
        }
      }
    }
  }

  /// Of moves those whose message is no longer at its old place; all copies. Nil where the old place cannot be seen.
  /// Where it is gone, or another by now, only the new place can tell.
  private func whatMayHaveHappened(_ steps: [PushStep], from mailbox: Int64) throws -> [PushStep]? {
    let moves = steps.filter { $0.kind == .move }
    guard !moves.isEmpty else { return steps }
    guard let record = records[mailbox], !record.isGone, isListed(record) else { return steps }
    guard try open(mailbox) else { return strange[mailbox] != nil ? steps : nil }
    let present = try remote.existing(UIDSet(moves.map(\.sourceUID).sorted()))
    let undone = moves.filter {
      present.contains($0.sourceUID) && $0.sourceValidity == record.uidValidity
    }
    try drop(undone)
    return steps.filter { step in !undone.contains { $0.number == step.number } }
  }

  private func settle(_ step: PushStep, at place: UID, isKnown: Bool) throws {
    let old = try source(of: step)
    var record = step.record
    record.uid = place
    try state.transaction { transaction in
      if let old, step.kind != .move {
        var copied = step
        copied.kind = .copied
        copied.copyUID = place
        try transaction.put(copied)
        try hide(old, in: step.source, transaction)
      } else {
        if let old { try transaction.remove(old.uid, from: step.source) }
        try transaction.removeStep(step.number)
      }
      for changed in [step.source, step.target] { try forgetCount(of: changed, transaction) }
      guard !record.name.isEmpty else { return }
      if !isKnown { try transaction.put(record, in: step.target) }
      try transaction.removeSurplus(contentHash: step.sourceContentHash, from: step.source)
    }
    context.noteChange()
    setDate(ofFileOf: step)
  }

  /// What ``setDate(of:_:)`` does for a file that this run has seen; here only its name is known.
  func setDate(ofFileOf step: PushStep) {
    guard !step.record.name.isEmpty, !context.isRehearsal,
      let folder = try? context.folders.local(ofMailbox: step.target),
      let name = try? nameNow(of: step, in: folder)
    else { return }
    _ = try? folder.withFile(name, lastFlags: step.record.agreed.flags) { file in
      let modified = try folder.folder.facts(file).modified / 1_000_000_000
      guard modified != step.record.internalDate else { return }
      try folder.setModified(step.record.internalDate, of: file)
    }
  }

  /// A pull may have met the copy meanwhile: by its file, or where it went to Trash and had none, by its content.
  private func adopted(_ steps: [PushStep], in target: Int64) throws -> [UInt32: UID] {
    var known = try adoptedByName(steps.filter { !$0.record.name.isEmpty }, in: target)
    for step in steps where step.record.name.isEmpty && step.record.contentHash != 0 {
      let hash = step.record.contentHash
      // Of a mailbox that was made anew since, or renumbered, every UID is new.
      let isRenumbered = records[target]?.uidValidity != step.uidValidity
      known[step.number] = try state.contents(in: target, among: [hash])[hash]?.first {
        isRenumbered || $0.rawValue >= step.uidNext
      }
    }
    return known
  }

  /// In one pass over all names of the mailbox, however many steps there are.
  private func adoptedByName(_ steps: [PushStep], in target: Int64) throws -> [UInt32: UID] {
    guard !steps.isEmpty else { return [:] }
    let wanted = Dictionary(grouping: steps) { RewrittenName.original(of: $0.record.name) }
    var exact: [UInt32: UID] = [:]
    var rewritten: [UInt32: UID] = [:]
    try state.forEachName(in: target) { uid, name in
      guard let uid else { return }
      for step in wanted[RewrittenName.original(of: Array(name))] ?? [] {
        if name.elementsEqual(step.record.name) {
          exact[step.number] = uid
        } else {
          rewritten[step.number] = uid
        }
      }
    }
    return exact.merging(rewritten) { exact, _ in exact }
  }
}
