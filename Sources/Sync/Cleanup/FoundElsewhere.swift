import Ledger
import MailCore
import State

/// Messages that are out of view, and that the server shows in another mailbox: they were moved there. Nothing is lost with
/// the file of their old place.
struct FoundElsewhere {
  let context: AccountContext

  /// Records them as expunged, once every mailbox was looked into.
  func release() throws {
    // What was not looked into proves nothing.
    guard !context.missesMailboxes else { return }
    for mailbox in try context.state.outOfView().keys.sorted() {
      let uids = try context.state.uids(.outOfView, in: mailbox)
      var moved: [MessageRecord] = []
      for range in uids.ranges {
        for record in try context.state.messages(in: mailbox, range)
        where uids.contains(record.uid) {
          if try isElsewhere(record, mailbox) { moved.append(record) }
        }
      }
      guard !moved.isEmpty else { continue }
      try context.state.transaction { transaction in
        for var record in moved {
          record.traits.remove(.outOfView)
          record.traits.insert(.expunged)
          try transaction.put(record, in: mailbox)
        }
      }
      context.noteChange()
    }
  }

  private func isElsewhere(_ record: MessageRecord, _ mailbox: Int64) throws -> Bool {
    try context.state.copies(ofContent: record.contentHash).contains { copy in
      guard copy.mailbox != mailbox, !copy.message.name.isEmpty,
        copy.message.headerHash == record.headerHash,
        copy.message.traits.isDisjoint(with: [.outOfView, .differs]),
        let folder = try context.folders.local(ofMailbox: copy.mailbox)
      else { return false }
      return try folder.locate(copy.message.name, lastFlags: copy.message.agreed.flags) != nil
    }
  }
}
