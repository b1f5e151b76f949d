import Ledger
import MailCore
import State

/// Messages that are out of view, and that the server shows in another mailbox: they were moved there. Nothing is lost with
/// the file of their old place.
struct FoundElsewhere {
  let context: AccountContext

  /// Records them as expunged, once every mailbox was looked into.
  ///
  /// - Returns: whether any were out of view.
  func release() throws -> Bool {
    let hidden = try context.state.outOfView()
    for mailbox in hidden.keys.sorted() {
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
          record.traits.subtract([.outOfView, .guessed])
          record.traits.insert(.expunged)
          try transaction.put(record, in: mailbox)
        }
      }
      context.noteChange()
    }
    return !hidden.isEmpty
  }

  private func isElsewhere(_ record: MessageRecord, _ mailbox: Int64) throws -> Bool {
    try context.state.copies(ofContent: record.contentHash).contains { copy in
      copy.mailbox != mailbox && !copy.message.name.isEmpty
        && copy.message.headerHash == record.headerHash
        && copy.message.traits.isDisjoint(with: [.outOfView, .differs])
    }
  }
}
