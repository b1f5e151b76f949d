import IMAPClient
import IMAPWire
import Ledger
import MailCore
import State

extension AccountContext {
  /// What a list shows mailboxes to be for replaces what earlier ones did, of every mailbox that is known, pulled in this
  /// run or not: a role that wandered on is taken back. A server that shows none takes none back.
  ///
  /// - Parameter others: have other names on the server than here: what the list shows of these is not theirs.
  /// - Returns: whether anything changed.
  func takeRoles(
    _ listings: [MailboxListing], from session: IMAPSession, besides others: [MailboxRecord] = []
  ) throws -> Bool {
    let marked = listings.filter { $0.isSelectable && !$0.specialUse.isEmpty }
    guard session.hasListedUses || !marked.isEmpty else { return false }
    let uses = Dictionary(marked.map { ($0.name, $0.specialUse.first) }) { first, _ in first }
    var changed: [MailboxRecord] = []
    for var record in try state.mailboxes() {
      let isOther = record.isGone || others.contains { $0.id == record.id }
      let use = isOther ? nil : uses[record.mailboxName] ?? nil
      guard record.specialUse != use?.rawValue else { continue }
      record.specialUse = use?.rawValue
      changed.append(record)
    }
    guard !changed.isEmpty else { return false }
    try state.transaction { transaction in
      for record in changed { try transaction.save(record) }
    }
    noteChange()
    return true
  }
}
