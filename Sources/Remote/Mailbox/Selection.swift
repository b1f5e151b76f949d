import IMAPWire

package enum MailboxAccess { case toLook, forChanges }

/// A mailbox from its opening until another one is opened.
final class Selection {
  let target: MailboxTarget
  /// What it may be opened again for without another SELECT.
  var access: MailboxAccess?
  var isOpen = false
  var isLeft = false
  var facts = SelectedMailbox()
  var counted = ExistsCount(0)

  init(of target: MailboxTarget) { self.target = target }
}
