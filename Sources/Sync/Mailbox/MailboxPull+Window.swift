import MailCore
import State

extension MailboxPull {
  /// Of the messages that are not here, those that the window wants; the others are recorded as pruned, so that they
  /// are known and neither asked for nor missed.
  func keepWindow(_ missing: UIDSet, _ remote: some RemoteMailbox) throws -> UIDSet {
    guard let start = window.start else {
      // The window was opened: what it left out is wanted now.
      return missing.union(try widened(nil, remote))
    }
    guard !missing.isEmpty || (record.windowStart ?? Int64.max) > start else { return missing }
    let inside = try remote.arrived(since: start)
    let outside = missing.subtracting(inside)
    try recordPruned(outside)
    return missing.intersection(inside).union(try widened(inside, remote))
  }

  private func widened(_ inside: UIDSet?, _ remote: some RemoteMailbox) throws -> UIDSet {
    guard let before = record.windowStart, window.start.map({ $0 < before }) ?? true else {
      return UIDSet()
    }
    let pruned = try context.state.uids(.pruned, in: mailboxID)
    return try withoutThoseStillHere(inside.map { pruned.intersection($0) } ?? pruned)
  }

  /// A run that died between recording a message as pruned and unlinking it left its file: that is no download.
  private func withoutThoseStillHere(_ pruned: UIDSet) throws -> UIDSet {
    var here: [MessageRecord] = []
    for range in pruned.ranges {
      for var record in try context.state.messages(in: mailboxID, range) where !record.name.isEmpty
      {
        guard try local.locate(record.name, lastFlags: record.agreed.flags) != nil else { continue }
        record.traits.remove(.pruned)
        here.append(record)
      }
    }
    guard !here.isEmpty else { return pruned }
    try context.state.transaction { transaction in
      for record in here { try transaction.put(record, in: mailboxID) }
    }
    context.noteChange()
    return pruned.subtracting(UIDSet(here.map(\.uid)))
  }

  private func recordPruned(_ uids: UIDSet) throws {
    guard !uids.isEmpty else { return }
    try context.state.transaction { transaction in
      for uid in uids.uids {
        var record = MessageRecord(uid: uid, name: [], agreed: MessageMarks(), traits: .pruned)
        if let measure = window.measured[record.uid, in: self.record.mailboxName] {
          record.internalDate = measure.date
          record.serverSize = measure.size
        }
        try transaction.put(record, in: mailboxID)
      }
    }
    context.noteChange()
  }
}
