import Ledger
import Settings
import State
import SyncPlan

/// The end of a pull: what the server said of files that were not there is done to them, and files of messages that it
/// expunged or the window left behind go, now that everything new is here.
struct AccountCleanup {
  let context: AccountContext
  /// Which mailboxes are mirrored.
  let folders: FolderPatterns

  func run(_ summary: inout PullSummary) throws {
    if try context.state.hasArrivals() {
      try CarriedArrivals(context.elsewhere.carried(), context: context)?.join()
    }
    let expunged = try context.state.mailboxesWithExpunged()
    let unapplied = try context.state.mailboxesWithUnapplied()
    var isThrough = true
    for record in try context.state.mailboxes() {
      let id = record.id
      let start = record.prunableBefore
      guard expunged.contains(id) || unapplied.contains(id) || start != nil,
        !context.unsettled.contains(id)
      else { continue }
      var outcome = MailboxOutcome(mailbox: record.name)
      var hasCleanedUp = false
      try context.sparing(record.name) {
        if let folder = try CleanedFolder(context: context, mailbox: record) {
          if unapplied.contains(id) { outcome.changed = try LateChanges(folder: folder).apply() }
          if expunged.contains(id) {
            var files = try ExpungedFiles(folder: folder)
            outcome.gone = try files.unlinkAll()
          }
          if let start {
            let pruning = WindowPruning(folder: folder, folders: folders)
            outcome.pruned = try pruning.prune(before: start)
          }
        }
        hasCleanedUp = true
      }
      isThrough = isThrough && hasCleanedUp
      summary.add(outcome)
    }
    // What could not be held against the new messages is held against them by the next run.
    guard isThrough, !context.missesMailboxes, try !context.state.hasUndecidedUnknown() else {
      return
    }
    // Also of an account that has no mail yet it is known then that all was visited.
    guard try context.state.hasArrivals() || context.state.account().wholePull == nil else {
      return
    }
    try context.state.settleArrivals(context.started)
    context.noteChange()
  }
}
