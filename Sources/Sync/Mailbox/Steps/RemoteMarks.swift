import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// The server's flags and keywords of known messages, brought to their files.
struct RemoteMarks {
  let mailbox: PulledMailbox

  /// A bounded number at a time.
  func bring(_ table: MarkTable, except expunged: UIDSet) throws {
    var position = 0
    while position < table.count {
      try mailbox.context.checkInterrupt()
      let end = min(position + 2000, table.count)
      let range = table[position].uid.rawValue...table[end - 1].uid.rawValue
      var said = table[position..<end]
      var changed: [MarkDelivery.Change] = []
      try mailbox.state.forEachMessage(in: mailbox.id, range) { record in
        while let next = said.first, next.uid < record.uid { said.removeFirst() }
        guard let next = said.first, next.uid == record.uid, !expunged.contains(record.uid) else {
          return
        }
        if differs(record, from: next.marks) {
          changed.append(MarkDelivery.Change(record: record, remote: next.marks))
        }
      }
      try bring(changed)
      position = end
    }
  }

  private func differs(_ record: MessageRecord, from remote: MessageMarks) -> Bool {
    guard mailbox.policy.keywords.keeps else { return remote.flags != record.remote.flags }
    return remote != record.remote
  }

  private func bring(_ changed: [MarkDelivery.Change]) throws {
    guard !changed.isEmpty else { return }
    var kept: [MessageRecord] = []
    for change in changed where change.record.isPruned {
      var pruned = change.record
      pruned.agreed = change.remote
      kept.append(pruned)
    }
    let outcome = try MarkDelivery(context: mailbox.context, home: mailbox.local)
      .bring(changed.filter { !$0.record.isPruned })
    try mailbox.save(kept + outcome.applied + outcome.absent)
    mailbox.count { $0.changed += outcome.touched }
  }
}
