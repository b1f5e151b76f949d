import Ledger
import MailCore
import Maildir
import State

/// Names and places for mailboxes that have to give up theirs.
struct FreeNames {
  let context: AccountContext

  init(_ context: AccountContext) { self.context = context }

  /// The server no longer has it, and its name and place are another's: it gets some of its own.
  func retire(_ record: inout MailboxRecord) throws {
    record.isGone = true
    record.specialUse = nil
    try rename(&record, why: "deleted")
  }

  /// Its name is given to another before it can have its own new one.
  func stepAside(_ record: inout MailboxRecord) throws { try rename(&record, why: "renamed") }

  private func rename(_ record: inout MailboxRecord, why: String) throws {
    record.name = try unused("\(record.name) (\(why) \(record.id))")
    record.folder = try context.folders.layout().path(of: record.mailboxName)
  }

  /// The name, with a number after it where a mailbox is called so: after a run that was cut off, a push may have made
  /// one of the folder that had stepped aside.
  private func unused(_ name: String) throws -> String {
    let known = Set(try context.state.mailboxes().map(\.name))
    var (free, number) = (name, 2)
    while known.contains(free) {
      free = "\(name) \(number)"
      number += 1
    }
    return free
  }
}
