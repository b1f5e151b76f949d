import Ledger
import MailCore
import Maildir

/// Moves, edits and marks of known messages.
struct MessagePlanning {
  let situation: PushSituation

  func planMoves(_ changes: TreeChanges, _ plan: inout PushPlan) {
    let renamed = Set(plan.renames.map(\.folder))
    let refused =
      changes.renamedFolders.map(\.folder).filter {
        !renamed.contains($0) && situation.mailboxToBe($0) != nil
      } + plan.refusedCreations.map(\.folder)
    let folders = PlannedFolders(
      renamed: renamed, created: Set(plan.creations.map(\.folder)), refused: Set(refused))
    for move in changes.moved {
      let sending = Rules.moved.outcome(
        of: MovedHere(situation: situation, move: move, folders: folders))
      guard plan.sends(sending, from: move.from, to: move.file.mailbox) else { continue }
      plan.moves.append(
        PushPlan.PlannedMove(
          from: move.from, to: move.file.mailbox, record: move.record, file: move.file))
      if move.file.marks != move.record.agreed { plan.marks.append(ChangedMarks(move)) }
    }
  }

  func planEdits(_ changes: TreeChanges, drafts: Set<MailboxKey>, _ plan: inout PushPlan) {
    for edit in changes.edited {
      let sending = Rules.edited.outcome(
        of: EditedHere(
          change: ChangedHere(situation: situation, mailbox: edit.mailbox, record: edit.record),
          edit: edit, isInDrafts: drafts.contains(edit.mailbox)))
      if sending == .keepHere {
        plan.edits.append(edit)
      } else if plan.sends(sending, from: edit.mailbox) {
        plan.uploads.append(
          PushPlan.PlannedUpload(mailbox: edit.mailbox, file: edit.file, replaces: edit.record))
      }
    }
  }

  func planMarks(_ changes: TreeChanges, _ plan: inout PushPlan) {
    let replaced = Set(
      plan.uploads.compactMap { upload in
        upload.replaces.map { MessageKey(mailbox: upload.mailbox, uid: $0.uid) }
      })
    // A file with a new name in the same folder may have new flags, too.
    let renamed = changes.renamed.filter { $0.file.marks != $0.record.agreed }
      .map { ChangedMarks($0) }
    let moved = plan.marks
    plan.marks = []
    for change in moved + changes.marks + renamed {
      let key = MessageKey(mailbox: change.mailbox, uid: change.record.uid)
      let sending = Rules.marked.outcome(
        of: MarkedHere(
          change: ChangedHere(
            situation: situation, mailbox: change.mailbox, record: change.record, subject: .marks),
          delta: MarkDelta(change), isReplaced: replaced.contains(key)))
      if plan.sends(sending, from: change.mailbox) { plan.marks.append(change) }
    }
  }
}
