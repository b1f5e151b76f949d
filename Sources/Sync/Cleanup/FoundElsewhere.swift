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
      let hidden = try context.state.messages(
        in: mailbox, context.state.uids(.outOfView, in: mailbox))
      let moved = try hidden.filter {
        try otherPlace.holds($0.digest, besides: mailbox, countsStubs: false)
      }
      guard !moved.isEmpty else { continue }
      try context.write { transaction in
        for var record in moved {
          record.traits.subtract([.outOfView, .notUnderNewID])
          record.traits.insert(.expunged)
          try transaction.put(record, in: mailbox)
        }
      }
    }
  }
}
