import Ledger
import MailCore
import Maildir

/// New messages.
struct UploadPlanning {
  let situation: PushSituation

  func plan(_ changes: TreeChanges, _ plan: inout PushPlan) {
    let movedAway = contents(movedAwayBy: changes.moved.map { ($0.from, $0.record) })
    let leaving = contents(movedAwayBy: plan.moves.map { ($0.from, $0.record) })
    let busy = BusyContents(situation, changes)
    for file in changes.new {
      guard let mailbox = file.mailbox else { continue }
      let content = file.digest.contentHash
      let sending = Rules.new.outcome(
        of: NewHere(
          situation: situation, mailbox: mailbox, file: file, busy: busy,
          unreadFolder: changes.unreadFolders.first,
          repeatsMovedMessage: movedAway[mailbox]?.contains(content) == true,
          isMovePlanned: leaving[mailbox]?.contains(content) == true))
      guard plan.sends(sending, from: mailbox) else { continue }
      plan.uploads.append(
        PushPlan.PlannedUpload(
          mailbox: mailbox, file: file, followsMove: sending == .sendAfterMove))
    }
  }

  /// By the mailbox that they leave.
  private func contents(movedAwayBy moves: [(from: MailboxKey, record: MessageRecord)])
    -> [MailboxKey: Set<ContentHash>]
  {
    moves.reduce(into: [:]) { $0[$1.from, default: []].insert($1.record.contentHash) }
  }
}
