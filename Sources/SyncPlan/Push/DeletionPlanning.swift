import Ledger
import MailCore

/// Deletions: what goes, what is held back, and what the next runs have to know of that.
struct DeletionPlanning {
  let situation: PushSituation
  let trash: Set<MailboxKey>

  func plan(_ changes: TreeChanges, _ plan: inout PushPlan) {
    var gone: [MissingMessage] = []
    // In mailboxes that refuse deletions.
    var refused: [MissingMessage] = []
    var outsideWindow: [MissingMessage] = []
    for message in changes.gone {
      let change = ChangedHere(
        situation: situation, mailbox: message.mailbox, record: message.record, subject: .deletions)
      let sending = Rules.missing.outcome(
        of: MissingHere(change: change))
      if plan.sends(sending, from: message.mailbox) {
        gone.append(message)
      } else if sending == .wait(.readOnly) {
        refused.append(message)
      } else if sending == .leave {
        outsideWindow.append(message)
      }
    }
    let finals = trash.union(situation.mailboxes.map(\.id)).filter {
      way(from: $0) == .expunge
    }
    let judge = DeletionGuard(
      expected: changes.expected, goneFolders: Set(changes.goneFolders),
      replacedFolders: changes.replacedFolders, isEmptied: changes.isEmptied,
      allowsMassDelete: situation.allowsMassDelete, holds: situation.holds,
      carried: situation.carried, finals: finals)
    var held: [PushPlan.HeldDeletions] = []
    let allowed = judge.judge(gone, &held)
    // What cannot go now may be able to when nothing shows any more what became of the folder.
    var heldInRefused: [PushPlan.HeldDeletions] = []
    _ = judge.judge(refused, &heldInRefused)
    plan.holds = holds(after: held + heldInRefused, changes, plan)
    if let doubt = Rules.doubt.outcome(of: changes) {
      for (mailbox, messages) in Dictionary(grouping: gone, by: \.mailbox).sorted(by: {
        $0.key < $1.key
      }) {
        plan.held.append(PushPlan.HeldDeletions(messages, in: mailbox, doubt))
      }
      return
    }
    plan.held += held
    plan.leftBehind = leftBehind(outsideWindow, held, changes)
    for message in allowed {
      plan.deletions.append(
        PushPlan.PlannedDeletion(
          mailbox: message.mailbox, record: message.record,
          way: way(from: message.mailbox)))
      plan.sizes[message.mailbox] = changes.expected[message.mailbox]
    }
  }

  /// Those that the window left behind; none of a folder that seems to be gone or another, which may come back.
  private func leftBehind(
    _ messages: [MissingMessage], _ held: [PushPlan.HeldDeletions], _ changes: TreeChanges
  ) -> [MissingMessage] {
    guard !changes.isEmptied else { return [] }
    let doubtful = changes.replacedFolders.union(changes.goneFolders).union(held.map(\.mailbox))
    return messages.filter { !doubtful.contains($0.mailbox) }
  }

  private func way(from mailbox: MailboxKey) -> PushPlan.PlannedDeletion.Way {
    Rules.deletion.outcome(
      of: DeletionPlace(
        expungesAll: situation.deletions == .expunge, isTrash: trash.contains(mailbox)))
  }

  /// What was held back stays so until its file is found or its record is gone; of folders that could not be looked
  /// into nothing is known.
  private func holds(
    after held: [PushPlan.HeldDeletions], _ changes: TreeChanges, _ plan: PushPlan
  ) -> [DeletionHold] {
    var kept = Dictionary(situation.holds.map { ($0.mailbox, $0) }) { first, _ in first }
    let judged = Dictionary(held.map { ($0.mailbox, $0) }) { first, _ in first }
    let gone = Dictionary(grouping: changes.gone, by: \.mailbox).mapValues {
      UIDSet($0.map(\.record.uid))
    }
    // The folder of a mailbox that is to be renamed is not gone, nor are those below it.
    let renamed = Set(plan.renames.compactMap { situation.record($0.mailbox)?.name })
    for mailbox in changes.looked where !isRenamed(mailbox, renamed) {
      let old = kept[mailbox]
      let missing = gone[mailbox] ?? UIDSet()
      var uids = judged[mailbox]?.uids ?? UIDSet()
      if let old { uids = uids.union(old.uids?.intersection(missing) ?? missing) }
      if let old, situation.record(mailbox)?.isSettled == false {
        guard let before = old.uids else { continue }
        uids = uids.union(before)
      }
      guard uids != old?.uids else { continue }
      kept[mailbox] = uids.isEmpty ? nil : judged[mailbox]?.hold ?? old
      kept[mailbox]?.uids = uids
    }
    return kept.values.sorted { $0.mailbox < $1.mailbox }
  }

  /// Whether it is one of the renamed, or below one.
  private func isRenamed(_ mailbox: MailboxKey, _ renamed: Set<String>) -> Bool {
    guard !renamed.isEmpty, let record = situation.record(mailbox) else { return false }
    return renamed.contains {
      record.name == $0 || record.name.isBelow($0, record.separator)
    }
  }
}
