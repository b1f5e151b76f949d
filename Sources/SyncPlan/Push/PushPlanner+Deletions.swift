import Ledger
import MailCore

extension PushPlanner {
  func planDeletions(
    _ changes: TreeChanges, _ places: FolderRoles, _ plan: inout PushPlan
  ) {
    var gone: [MissingMessage] = []
    var shut: [MissingMessage] = []
    for message in changes.gone {
      if !isOpen(message.mailbox, &plan) || !allows(.deletions, message.mailbox, &plan) {
        shut.append(message)
      } else if isFree(message.mailbox, message.record, &plan) {
        gone.append(message)
      }
    }
    let finals = deletions == .expunge ? Set(mailboxes.compactMap(\.id)) : places.trash
    let judge = DeletionGuard(
      expected: changes.expected, goneFolders: Set(changes.goneFolders),
      replacedFolders: changes.replacedFolders, isEmptied: changes.isEmptied,
      allowsMassDelete: allowsMassDelete, holds: holds,
      carried: carried, finals: finals)
    var held: [PushPlan.HeldDeletions] = []
    let allowed = judge.judge(gone, &held)
    // What cannot go now may be able to when nothing shows any more what became of the folder.
    var unheard: [PushPlan.HeldDeletions] = []
    _ = judge.judge(shut, &unheard)
    plan.holds = holds(behind: held + unheard, changes, plan)
    let doubt: PushPlan.HeldDeletions.Reason? =
      (changes.unreadable.first ?? changes.unreadFolders.first).map { .unreadable($0) }
      ?? changes.hidingPlaces.first.map { .hidden($0) }
    if let doubt {
      for (mailbox, messages) in Dictionary(grouping: gone, by: \.mailbox).sorted(by: {
        $0.key < $1.key
      }) {
        plan.held.append(PushPlan.HeldDeletions(messages, in: mailbox, doubt))
      }
      return
    }
    plan.held += held
    for message in allowed {
      plan.deletions.append(
        PushPlan.PlannedDeletion(
          mailbox: message.mailbox, record: message.record,
          way: finals.contains(message.mailbox) ? .expunge : .trash))
      plan.sizes[message.mailbox] = changes.expected[message.mailbox]
    }
  }

  /// What was held back stays so until its file is found or its record is gone; of folders that could not be looked
  /// into nothing is known.
  private func holds(
    behind held: [PushPlan.HeldDeletions], _ changes: TreeChanges, _ plan: PushPlan
  ) -> [DeletionHold] {
    var kept = Dictionary(holds.map { ($0.mailbox, $0) }) { first, _ in first }
    let judged = Dictionary(held.map { ($0.mailbox, $0) }) { first, _ in first }
    let gone = Dictionary(grouping: changes.gone, by: \.mailbox).mapValues {
      UIDSet($0.map(\.record.uid))
    }
    // The folder of a mailbox that is to be renamed is not gone, nor are those below it.
    let renamed = Set(plan.renames.compactMap { record($0.mailbox)?.name })
    for mailbox in changes.looked where !isAlong(mailbox, renamed) {
      let old = kept[mailbox]
      let missing = gone[mailbox] ?? UIDSet()
      var uids = judged[mailbox]?.uids ?? UIDSet()
      if let old { uids = uids.union(old.uids?.intersection(missing) ?? missing) }
      if let old, record(mailbox)?.isSettled == false {
        guard let before = old.uids else { continue }
        uids = uids.union(before)
      }
      guard uids != old?.uids else { continue }
      kept[mailbox] = uids.isEmpty ? nil : judged[mailbox]?.hold ?? old
      kept[mailbox]?.uids = uids
    }
    return kept.values.sorted { $0.mailbox < $1.mailbox }
  }

  /// Whether it is one of the renamed, or goes along with one.
  private func isAlong(_ mailbox: Int64, _ renamed: Set<String>) -> Bool {
    guard !renamed.isEmpty, let record = record(mailbox) else { return false }
    return renamed.contains {
      record.name == $0 || record.name.isBelow($0, record.separator)
    }
  }
}
