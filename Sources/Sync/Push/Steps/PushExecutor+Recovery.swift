import IMAPClient
import IMAPWire
import MailCore
import Maildir
import State

/// What an interrupted push left under way: looked for on the server before anything is done again (DESIGN promise 2).
extension PushExecutor {
  func recover() throws {
    let steps = try state.pushSteps().filter { $0.kind != .copied }
    for (mailbox, group) in Dictionary(grouping: steps, by: \.target).sorted(by: {
      $0.key < $1.key
    }) {
      try context.checkInterrupt()
      try sparing(mailbox) {
        try recover(group.filter { $0.kind == .append }, appendsIn: mailbox)
        try recover(group.filter { $0.kind == .copy }, copiesIn: mailbox)
      }
    }
    try finishCopies()
  }

  private func recover(_ steps: [PushStep], appendsIn mailbox: Int64) throws {
    guard !steps.isEmpty else { return }
    // A pull may have met the message meanwhile, and matched it with its file.
    let known = Set(try names(in: mailbox))
    let open = steps.filter { !known.contains(XXH3.hash($0.record.name)) || $0.source != 0 }
    try drop(steps.filter { step in !open.contains { $0.number == step.number } })
    var unseen: [PushStep] = []
    for step in open {
      if let pulled = try pulled(step, in: mailbox) {
        try takeOver(pulled, from: mailbox)
        try arrived(step, at: pulled.uid)
      } else {
        unseen.append(step)
      }
    }
    guard !unseen.isEmpty, try self.open(mailbox) else { return }
    try lookFor(unseen, in: mailbox)
  }

  /// A draft whose answer was lost, and that a pull then took for somebody else's: the file it made of it is one too many.
  private func pulled(_ step: PushStep, in mailbox: Int64) throws -> MessageRecord? {
    let hash = step.record.contentHash
    guard step.source != 0, hash != 0 else { return nil }
    let uids = try state.contents(in: mailbox, among: [hash])[hash] ?? []
    for uid in uids where uid != step.sourceUID && uid.rawValue >= step.uidNext {
      if let record = try state.message(in: mailbox, uid), record.name != step.record.name {
        return record
      }
    }
    return nil
  }

  /// Only a file that the pull named itself, and that still holds the very same content.
  private func takeOver(_ pulled: MessageRecord, from mailbox: Int64) throws {
    guard let birth = BirthName(base: pulled.name), birth.uid == pulled.uid,
      let folder = try context.folder(ofMailbox: mailbox)
    else { return }
    _ = try folder.withFile(pulled.name, lastFlags: pulled.agreed.flags) { file in
      if try folder.isAsAgreed(file, pulled) { try folder.unlink(file) }
    }
    try folder.sync()
  }

  private func names(in mailbox: Int64) throws -> [UInt64] {
    var names: [UInt64] = []
    try state.forEachName(in: mailbox) { _, name in names.append(XXH3.hash(name)) }
    return names
  }

  /// Finds appended messages by UIDs that are new since, header, and content; what is not there was never taken.
  func lookFor(_ steps: [PushStep], in mailbox: Int64) throws {
    if remote.session.quirks.contains(.checkAfterAppend) { _ = try remote.run([.check]) }
    let isSame = steps.first?.uidValidity == remote.facts.uidValidity?.rawValue
    let first = isSame ? steps.map(\.uidNext).min() ?? 1 : 1
    let fresh = try remote.uids(from: first).subtracting(try state.uids(.known, in: mailbox))
    let label = policy.keywords.line?.name
    let headers = try remote.hashes(of: fresh, whole: false, labelName: label)
    let wanted = Set(steps.map(\.record.headerHash))
    let candidates = UIDSet(headers.filter { wanted.contains($0.value) }.keys.sorted())
    let contents = try remote.hashes(of: candidates, whole: true, labelName: label)
    var free = contents.sorted { $0.key < $1.key }
    var missing: [PushStep] = []
    for step in steps {
      if let place = free.firstIndex(where: { $0.value == step.record.contentHash }) {
        try arrived(step, at: free.remove(at: place).key)
      } else {
        missing.append(step)
      }
    }
    try drop(missing)
  }

  private func recover(_ steps: [PushStep], copiesIn target: Int64) throws {
    guard !steps.isEmpty else { return }
    for (mailbox, group) in Dictionary(grouping: steps, by: \.source) {
      let transfers = group.map { step in
        var record = step.record
        record.uid = step.sourceUID
        return Transfer(record: record, file: nil)
      }
      let places = try find(transfers, in: target)
      for step in group {
        // A pull may have met the copy meanwhile, and matched it with the file.
        let known = try adopted(step)
        guard let place = known ?? places[step.sourceUID],
          let source = try state.message(in: mailbox, step.sourceUID)
        else {
          try drop([step])
          continue
        }
        var copied = step
        copied.kind = .copied
        copied.copyUID = place
        var record = step.record
        record.uid = place
        try state.transaction { transaction in
          try transaction.put(copied)
          try hide(source, in: mailbox, transaction)
          if !record.name.isEmpty, known == nil { try transaction.put(record, in: target) }
        }
        context.noteChange()
      }
    }
  }

  private func adopted(_ step: PushStep) throws -> UID? {
    guard !step.record.name.isEmpty else { return nil }
    var found: UID?
    try state.forEachName(in: step.target) { uid, name in
      if name.elementsEqual(step.record.name) { found = uid }
    }
    return found
  }

  private func drop(_ steps: [PushStep]) throws {
    guard !steps.isEmpty else { return }
    try state.transaction { transaction in
      for step in steps { try transaction.removeStep(step.number) }
    }
    context.noteChange()
  }
}
