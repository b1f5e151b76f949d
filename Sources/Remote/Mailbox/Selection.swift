import IMAPWire
import MailCore

package enum MailboxAccess { case toLook, forChanges }

/// A mailbox from its opening until another one is opened.
final class Selection {
  let target: MailboxTarget
  /// What it may be opened again for without another SELECT.
  var access: MailboxAccess?
  var isOpen = false
  var isLeft = false
  var facts = SelectedMailbox()
  /// RFC822.SIZE of the message that was asked about with the opening.
  var probedSize: Int64?
  var counted = ExistsCount(0)
  /// As its opening told it: opened again, the mailbox has to be the same one.
  var validity: UIDValidity?
  /// What is to be asked for in other mailboxes as soon as no answer of this one is missing but those under way.
  var next: NextMailboxes?

  init(of target: MailboxTarget) { self.target = target }
}
