import MailCore
import Settings

/// What the person asked of a pull.
package struct PullOptions: Sendable {
  /// Mailbox names to keep to; empty means every mailbox that the settings mirror.
  package var mailboxes: [String]
  package var dryRun: Bool
  /// However many messages the server shows no longer: they count as expunged.
  package var allowsMassDelete: Bool
  package var beyond: BeyondWindow
  /// Each outcome says which messages are new.
  package var tellsArrivals: Bool
  /// Raw names of mailboxes where the server said that something changed: only these are looked into, where that is
  /// enough. Empty: it is not known where.
  package var hinted: Set<[UInt8]>
  /// It is a watch that pulls, and tells of what comes. Others leave word for it.
  package var isOfWatch = false

  package init(
    mailboxes: [String] = [], beyond: BeyondWindow = BeyondWindow(), dryRun: Bool = false,
    allowsMassDelete: Bool = false, tellsArrivals: Bool = false, hinted: Set<[UInt8]> = []
  ) {
    self.hinted = hinted
    self.mailboxes = mailboxes
    self.beyond = beyond
    self.dryRun = dryRun
    self.allowsMassDelete = allowsMassDelete
    self.tellsArrivals = tellsArrivals
  }

  /// Whether a mailbox was asked for; all are where none was.
  package func choose(_ name: MailboxName) -> Bool {
    mailboxes.isEmpty || mailboxes.contains { FolderPatterns.pattern($0, matches: name) }
  }
}
