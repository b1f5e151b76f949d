import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Settings
import SyncPlan

/// What a pull records of mailboxes that hold what others hold (All Mail, Important) and that the configuration does not
/// name: a folder with such a name is no reason to make a mailbox, and one that was mirrored waits to be mirrored again.
struct UnmirroredViews {
  let context: AccountContext
  /// Which mailboxes are mirrored.
  let folders: FolderPatterns

  /// - Parameters:
  ///   - views: of this run's list, mirrored or not.
  ///   - listings: all of that list.
  func record(_ views: [MailboxName], among listings: [MailboxListing]) throws {
    if context.adoptsNewMailboxes { try tell(views) }
    try leaveOut(views)
    let before = try context.state.account().views
    let names = ViewNames(views).keeping(before, unless: listings.map(\.name))
    guard names != before ?? ViewNames([]) else { return }
    try context.state.changeAccount { $0.views = names }
    context.noteChange()
  }

  /// With the tree of another program, or a lost state, those that have folders all the same.
  private func tell(_ views: [MailboxName]) throws {
    let known = Set(try context.state.mailboxes().map(\.mailboxName))
    for name in views where folders.matches(name) && !known.contains(name) {
      let path = try context.folders.layout().path(of: name)
      guard try context.folders.holds(path) else { continue }
      if try context.folders.holdMail(path) {
        context.note(RunProblem(PullNotice.viewWithFolder, mailbox: name.text))
      }
    }
  }

  /// Files that go from them while they are not mirrored are no deletions, and come again when they are.
  private func leaveOut(_ views: [MailboxName]) throws {
    for var record in try context.state.mailboxes()
    where views.contains(record.mailboxName) && !record.keepsNothing && !record.isLeftOut
      && !MailboxCatalogue.isMirrored(record, folders)
    {
      record.isLeftOut = true
      try context.state.save(record)
      context.noteChange()
    }
  }
}
