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
    let layout = try context.folders.layout()
    record.isGone = true
    record.specialUse = nil
    record.name = try unused("\(record.name) (deleted \(record.id))")
    record.folder =
      layout.path(of: MailboxName(record.name, delimiter: record.delimiter?.first)).text
  }

  /// The name, with a number after it where a mailbox is called so: after a run that was cut off, a push may have made
  /// one of the folder that had stepped aside.
  func unused(_ name: String) throws -> String {
    let known = Set(try context.state.mailboxes().map(\.name))
    var (free, number) = (name, 2)
    while known.contains(free) {
      free = "\(name) \(number)"
      number += 1
    }
    return free
  }
}
