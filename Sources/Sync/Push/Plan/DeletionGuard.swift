import MailCore
import State

/// Promise 4: what looks like an accident waits for a word.
package struct DeletionGuard {
  /// So many messages of one folder may always go.
  static let fewest = 20
  /// More in one run are never a person's everyday.
  static let most = 200

  let expected: [Int64: Int]
  let goneFolders: Set<Int64>
  /// Nothing is left in any folder.
  let isEmptied: Bool
  let allowsMassDelete: Bool
  /// What earlier runs held back: a folder that was made anew, or new mail in it, is no word.
  let holds: [Int64: DeletionHold]

  package init(
    expected: [Int64: Int], goneFolders: Set<Int64>, isEmptied: Bool = false,
    allowsMassDelete: Bool, holds: [DeletionHold] = []
  ) {
    self.expected = expected
    self.goneFolders = goneFolders
    self.isEmptied = isEmptied
    self.allowsMassDelete = allowsMassDelete
    self.holds = Dictionary(holds.map { ($0.mailbox, $0) }) { first, _ in first }
  }

  /// What is gone from one folder that nothing speaks against as a whole.
  private struct Share {
    var mailbox: Int64
    var fresh: [MissingMessage] = []
    /// Held back by an earlier run.
    var waiting: [MissingMessage] = []
    var hold: DeletionHold?

    /// How many count as gone in this run.
    var count: Int { fresh.count + (hold?.cause == .many ? waiting.count : 0) }
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
      if let reason = objection(mailbox, messages.count) {
        held.append(PushPlan.HeldDeletions(messages, in: mailbox, reason))
      } else {
        shares.append(share(of: mailbox, messages))
      }
    }
    let total = shares.reduce(0) { $0 + $1.count }
    var allowed: [MissingMessage] = []
    for share in shares {
      if total > Self.most, share.count > 0 {
        let messages = share.fresh + share.waiting
        held.append(
          PushPlan.HeldDeletions(messages, in: share.mailbox, .tooMany(total: total)))
        continue
      }
      if let hold = share.hold, !share.waiting.isEmpty {
        held.append(PushPlan.HeldDeletions(share.waiting, in: share.mailbox, .earlier(hold)))
      }
      allowed += share.fresh
    }
    return allowed
  }

  private func share(of mailbox: Int64, _ messages: [MissingMessage]) -> Share {
    var share = Share(mailbox: mailbox, hold: holds[mailbox])
    for message in messages {
      if share.hold?.holds(message.record.uid) == true {
        share.waiting.append(message)
      } else {
        share.fresh.append(message)
      }
    }
    return share
  }

  private func objection(_ mailbox: Int64, _ count: Int) -> PushPlan.HeldDeletions.Reason? {
    if goneFolders.contains(mailbox) { return .folderGone }
    let all = expected[mailbox] ?? count
    if count > Self.fewest, count * 2 >= all { return .halfOfFolder(expected: all) }
    // However few each of the folders had: a tree without any mail is hardly a whole one.
    let total = expected.values.reduce(0, +)
    return isEmptied && total > Self.fewest ? .nothingLeft(total: total) : nil
  }
}

extension PushPlan.HeldDeletions {
  /// For the runs to come; nil for what a look at the tree shows each time.
  var hold: DeletionHold? {
    switch reason {
    case .folderGone:
      DeletionHold(mailbox: mailbox, cause: .folder, count: count, total: count, uids: uids)
    case .halfOfFolder(let expected):
      DeletionHold(mailbox: mailbox, cause: .half, count: count, total: expected, uids: uids)
    case .tooMany(let total):
      DeletionHold(mailbox: mailbox, cause: .many, count: count, total: total, uids: uids)
    case .nothingLeft(let total):
      DeletionHold(mailbox: mailbox, cause: .all, count: count, total: total, uids: uids)
    case .unreadable, .hidden, .earlier: nil
    }
  }
}
