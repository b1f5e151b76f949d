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
    let otherPlace = OtherPlace(context)
    for mailbox in try context.state.outOfView().keys.sorted() {
      let uids = try context.state.uids(.outOfView, in: mailbox)
      var moved: [MessageRecord] = []
      for range in uids.ranges {
        for record in try context.state.messages(in: mailbox, range)
        where uids.contains(record.uid) {
          let isElsewhere = try otherPlace.holds(
            record.digest, besides: mailbox, countsStubs: false)
          if isElsewhere { moved.append(record) }
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
}
