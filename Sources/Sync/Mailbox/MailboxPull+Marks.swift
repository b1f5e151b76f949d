import MailCore
import Maildir
import State

extension MailboxPull {
  /// Brings the server's flags and keywords to the files of known messages, a bounded number at a time.
  func bringMarks(_ table: MarkTable, except expunged: UIDSet) throws {
    var position = 0
    while position < table.count {
      try context.checkInterrupt()
      let end = min(position + 2000, table.count)
      let range = table[position].uid.rawValue...table[end - 1].uid.rawValue
      var said = table[position..<end]
      var changed: [(MessageRecord, MessageMarks)] = []
      try context.state.forEachMessage(in: mailboxID, range) { record in
        while let next = said.first, next.uid < record.uid { said.removeFirst() }
        guard let next = said.first, next.uid == record.uid, !expunged.contains(record.uid) else {
          return
        }
        if differs(record, from: next.marks) { changed.append((record, next.marks)) }
      }
      try bring(changed)
      position = end
    }
  }

  private func differs(_ record: MessageRecord, from remote: MessageMarks) -> Bool {
    guard context.policy.keywords.keeps else { return remote.flags != record.remote.flags }
    return remote != record.remote
  }

  private func bring(_ changed: [(MessageRecord, MessageMarks)]) throws {
    guard !changed.isEmpty else { return }
    var kept: [MessageRecord] = []
    var touched = 0
    for (record, remote) in changed {
      if record.isPruned {
        var pruned = record
        pruned.agreed = remote
        kept.append(pruned)
        continue
      }
      switch try local.bring(remote, to: record) {
      case .applied(let record, let isTouched):
        kept.append(record)
        if isTouched { touched += 1 }
      case .absent(let record): kept.append(record)
      }
    }
    // Renames must be on disk before the state says so: otherwise a power cut would make the server's change look
    // like a person's wish to undo it.
    if touched > 0 { try local.sync() }
    try context.state.transaction { transaction in
      for record in kept { try transaction.put(record, in: mailboxID) }
    }
    context.noteChange()
    count { $0.changed += touched }
  }
}
