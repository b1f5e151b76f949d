import Ledger
import MailCore
import SyncPlan

/// Moves and copies that an interrupted push left under way.
struct TransferRecovery: PushPart {
  let desk: PushDesk
  /// Where mailboxes are labels, a moved message is known by its identity, and may have been at its new place before.
  let identities: LabelFinder?

  func recover(_ steps: [PushStep], to target: MailboxKey) throws {
    for (mailbox, group) in steps.grouped(by: \.source?.mailbox) {
      guard let begun = try whatMayHaveHappened(group, from: mailbox) else { continue }
      let known = try adopted(begun, in: target)
      let unknown = begun.filter { known[$0.number] == nil }
      guard let found = try find(unknown, in: target) else { continue }
      for step in begun {
        if let place = known[step.number] ?? found[step.number] {
          try finish(step, at: place, isKnown: known[step.number] != nil)
        } else if try step.stage != .unconfirmed || journal.source(of: step) == nil {
          try journal.drop([step])
        }
      }
    }
  }

  /// A COPY that was asked for when its push died may still be at work: it is looked for again before it is made again.
  private func find(_ all: [PushStep], in target: MailboxKey) throws -> [UInt32: UID]? {
    let moved = try movedLabels(all, in: target)
    let steps = all.filter { identities == nil || $0.stage != .move }
    guard var found = try finder.find(steps, in: target, whole: true) else { return nil }
    found.merge(moved) { first, _ in first }
    for seconds in context.patience {
      let missing = steps.filter { $0.stage == .copy && found[$0.number] == nil }
      guard !missing.isEmpty else { break }
      guard context.interrupt.wait(seconds: seconds) else { throw SyncError.interrupted }
      _ = try mailboxes.with(target, asPlace: true) { try $0.run([.noop]) }
      guard let more = try finder.find(missing, in: target, whole: true) else { return nil }
      found.merge(more) { first, _ in first }
    }
    return found
  }

  /// Where mailboxes are labels: where messages that a MOVE was about lie now, among those that no record tells of.
  private func movedLabels(_ steps: [PushStep], in target: MailboxKey) throws -> [UInt32: UID] {
    guard let identities else { return [:] }
    var wanted: [MessageRecord] = []
    for step in steps where step.stage == .move {
      var record = step.record
      record.uid = UID(step.number)
      wanted.append(record)
    }
    let places = try identities.find(wanted, in: target)
    return Dictionary(uniqueKeysWithValues: places.map { ($0.key.rawValue, $0.value) })
  }

  /// Of moves those whose message is no longer at its old place; all copies. Nil where the old place cannot be seen.
  /// Where it is gone, or another by now, only the new place can tell.
  private func whatMayHaveHappened(_ steps: [PushStep], from mailbox: MailboxKey) throws
    -> [PushStep]?
  {
    let moves = steps.filter { $0.stage == .move }
    guard !moves.isEmpty else { return steps }
    guard let record = known.records[mailbox], !record.isGone, known.isListed(record) else {
      return steps
    }
    let uids = UIDSet(moves.compactMap(\.source?.uid).sorted())
    guard let present = try mailboxes.with(mailbox, { try $0.existing(uids) }) else {
      return mailboxes.strange[mailbox] != nil ? steps : nil
    }
    let undone = moves.filter {
      $0.source.map { present.contains($0.uid) && $0.uidValidity == record.uidValidity } ?? false
    }
    try journal.drop(undone)
    return steps.without(undone)
  }

  private func finish(_ step: PushStep, at place: UID, isKnown: Bool) throws {
    guard let source = step.source else { return }
    context.noteTrashed([step])
    let old = try journal.source(of: step)
    var record = step.record
    record.uid = place
    try write { transaction in
      if let old, step.stage != .move {
        var copied = step
        copied.stage = .copied(at: place)
        try transaction.put(copied)
        try transaction.hide(old, in: source.mailbox)
      } else {
        if let old { try transaction.remove(old.uid, from: source.mailbox) }
        try transaction.removeStep(step.number)
      }
      for changed in [source.mailbox, step.target] {
        try known.forgetCount(of: changed, transaction)
      }
      guard !record.name.isEmpty else { return }
      if !isKnown { try transaction.put(record, in: step.target) }
      try transaction.removeSurplus(contentHash: source.contentHash, from: source.mailbox)
    }
    files.setDate(ofFileOf: step)
  }

  /// A pull may have met the copy meanwhile: by its file, or where it went to Trash and had none, by its content.
  private func adopted(_ steps: [PushStep], in target: MailboxKey) throws -> [UInt32: UID] {
    var adopted = try files.owners(of: steps, in: target).uids
    if let identities {
      for step in steps where step.stage == .move && adopted[step.number] == nil {
        adopted[step.number] = try identities.knownCopy(of: step.record, in: target)?.uid
      }
    }
    for step in steps
    where step.record.name.isEmpty && step.record.contentHash != .unknown
      && adopted[step.number] == nil
    {
      let hash = step.record.contentHash
      // Of a mailbox that was made anew since, or renumbered, every UID is new.
      let isRenumbered = known.records[target]?.uidValidity != step.uidValidity
      adopted[step.number] = try state.contents(in: target, among: [hash])[hash]?.first {
        isRenumbered || $0.rawValue >= step.uidNext
      }
    }
    return adopted
  }
}
