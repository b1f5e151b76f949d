import Ledger
import MailCore

/// Promise 4: deletions that look like an accident wait until the person confirms them.
package struct DeletionGuard {
  /// So many messages of one folder may always go.
  package static let fewest = MassDeletion.fewest
  /// For how long past deletions are counted with new ones, in seconds.
  package static let memory: Int64 = 24 * 3600

  let expected: [MailboxKey: Int]
  let goneFolders: Set<MailboxKey>
  /// Mailboxes whose folders are other directories than they were.
  let replacedFolders: Set<MailboxKey>
  /// Nothing is left in any folder.
  let isEmptied: Bool
  let allowsMassDelete: Bool
  /// What earlier runs held back.
  let holds: [MailboxKey: DeletionHold]
  /// What was carried out within ``memory``.
  let day: DayOfDeletions

  package init(
    expected: [MailboxKey: Int], goneFolders: Set<MailboxKey>,
    replacedFolders: Set<MailboxKey> = [],
    isEmptied: Bool = false, allowsMassDelete: Bool, holds: [DeletionHold] = [],
    carried: [CarriedDeletions] = [],
    finals: Set<MailboxKey> = []
  ) {
    day = DayOfDeletions(carried, finals: finals)
    self.expected = expected
    self.goneFolders = goneFolders
    self.replacedFolders = replacedFolders
    self.isEmptied = isEmptied
    self.allowsMassDelete = allowsMassDelete
    self.holds = Dictionary(holds.map { ($0.mailbox, $0) }) { first, _ in first }
  }

  /// What is gone from one folder that nothing speaks against as a whole.
  private struct Share {
    var mailbox: MailboxKey
    var fresh: [MissingMessage] = []
    /// Held back by an earlier run, and why.
    var waiting: [MissingMessage] = []
    var reason: PushPlan.HeldDeletions.Reason?
    var cause: DeletionHold.Cause?

    /// What counts as gone in this run.
    var counted: [MissingMessage] {
      fresh + (cause == .many || cause == .manyInDay ? waiting : [])
    }
  }

  /// Returns what may go; the rest is added to `held`.
  package func judge(_ gone: [MissingMessage], _ held: inout [PushPlan.HeldDeletions])
    -> [MissingMessage]
  {
    if allowsMassDelete { return gone }
    var shares: [Share] = []
    for (mailbox, messages) in Dictionary(grouping: gone, by: \.mailbox).sorted(by: {
      $0.key < $1.key
    }) {
      if let reason = Rules.folderLoss.outcome(of: loss(mailbox, messages)) {
        held.append(PushPlan.HeldDeletions(messages, in: mailbox, reason))
      } else {
        shares.append(share(of: mailbox, messages))
      }
    }
    let counted = shares.map { ($0.mailbox, UIDSet($0.counted.map(\.record.uid))) }
    let sums = day.sums(with: Dictionary(counted, uniquingKeysWith: { $1 }))
    let total = shares.reduce(0) { $0 + $1.counted.count }
    var allowed: [MissingMessage] = []
    for share in shares {
      let loss = RunLoss(
        inFolder: share.counted.count, inRun: total, inDay: sums.total(like: share.mailbox))
      if let reason = Rules.runLoss.outcome(of: loss) {
        let messages = share.fresh + share.waiting
        held.append(PushPlan.HeldDeletions(messages, in: share.mailbox, reason))
        continue
      }
      if let reason = share.reason {
        held.append(PushPlan.HeldDeletions(share.waiting, in: share.mailbox, reason))
      }
      allowed += share.fresh
    }
    return allowed
  }

  private func share(of mailbox: MailboxKey, _ messages: [MissingMessage]) -> Share {
    let hold = holds[mailbox]
    var share = Share(mailbox: mailbox, cause: hold?.cause)
    for message in messages {
      let loss = MessageLoss(uid: message.record.uid, hold: hold)
      if let reason = Rules.messageLoss.outcome(of: loss) {
        share.reason = reason
        share.waiting.append(message)
      } else {
        share.fresh.append(message)
      }
    }
    return share
  }

  private func loss(_ mailbox: MailboxKey, _ messages: [MissingMessage]) -> FolderLoss {
    // What waits for another reason goes nowhere, and does not count in the day.
    let hold = holds[mailbox].flatMap { $0.cause == .halfInDay ? nil : $0 }
    let going = messages.map(\.record.uid).filter { hold?.holds($0) != true }
    return FolderLoss(
      isFolderGone: goneFolders.contains(mailbox),
      isFolderReplaced: replacedFolders.contains(mailbox), count: messages.count,
      expected: expected[mailbox] ?? messages.count,
      expectedInTree: expected.values.reduce(0, +), isTreeEmpty: isEmptied,
      inDay: day.half(mailbox, with: UIDSet(going)))
  }
}

extension PushPlan.HeldDeletions {
  /// For the runs to come; nil for what a look at the tree shows each time.
  package var hold: DeletionHold? {
    switch reason {
    case .folderGone:
      DeletionHold(mailbox: mailbox, cause: .folder, count: count, total: count, uids: uids)
    case .folderReplaced:
      DeletionHold(mailbox: mailbox, cause: .replaced, count: count, total: count, uids: uids)
    case .halfOfFolder(let expected):
      DeletionHold(mailbox: mailbox, cause: .half, count: count, total: expected, uids: uids)
    case .tooMany(let total):
      DeletionHold(mailbox: mailbox, cause: .many, count: count, total: total, uids: uids)
    case .nothingLeft(let total):
      DeletionHold(mailbox: mailbox, cause: .all, count: count, total: total, uids: uids)
    case .halfInDay(let all, let expected):
      DeletionHold(mailbox: mailbox, cause: .halfInDay, count: all, total: expected, uids: uids)
    case .tooManyInDay(let total):
      DeletionHold(mailbox: mailbox, cause: .manyInDay, count: count, total: total, uids: uids)
    case .unreadable, .hidden, .earlier: nil
    }
  }
}
