import Ledger
import MailCore

/// Promise 4: what looks like an accident waits for a word.
package struct DeletionGuard {
  /// So many messages of one folder may always go.
  package static let fewest = 20
  /// More in one run, or in one day of what was there when that began, are never a person's everyday.
  static let most = 200
  /// So long what was carried out counts along, in seconds.
  package static let memory: Int64 = 24 * 3600

  /// More than one person throws away at once, in one mailbox.
  static func isMass(_ count: Int, of all: Int) -> Bool {
    count > most || count > fewest && count * 2 >= all
  }

  let expected: [Int64: Int]
  let goneFolders: Set<Int64>
  /// Mailboxes whose folders are other directories than they were.
  let replacedFolders: Set<Int64>
  /// Nothing is left in any folder.
  let isEmptied: Bool
  let allowsMassDelete: Bool
  /// What earlier runs held back: a folder that was made anew, or new mail in it, is no word.
  let holds: [Int64: DeletionHold]
  /// What was carried out within ``memory``, oldest first.
  let carried: [Int64: [CarriedDeletions]]
  /// Mailboxes whose messages go for good. A day's sum tells these from those that go to the trash: one message may
  /// well do both within a day.
  let finals: Set<Int64>

  package init(
    expected: [Int64: Int], goneFolders: Set<Int64>, replacedFolders: Set<Int64> = [],
    isEmptied: Bool = false, allowsMassDelete: Bool, holds: [DeletionHold] = [],
    carried: [CarriedDeletions] = [],
    finals: Set<Int64> = []
  ) {
    self.carried = Dictionary(grouping: carried, by: \.mailbox)
    self.finals = finals
    self.expected = expected
    self.goneFolders = goneFolders
    self.replacedFolders = replacedFolders
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

    /// What counts as gone in this run.
    var counted: [MissingMessage] {
      fresh + (hold?.cause == .many || hold?.cause == .manyInDay ? waiting : [])
    }
    var count: Int { counted.count }
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
      if let reason = objection(mailbox, messages) {
        held.append(PushPlan.HeldDeletions(messages, in: mailbox, reason))
      } else {
        shares.append(share(of: mailbox, messages))
      }
    }
    let total = shares.reduce(0) { $0 + $1.count }
    let daily = daily(shares)
    var allowed: [MissingMessage] = []
    for share in shares {
      let inDay = daily[finals.contains(share.mailbox)] ?? 0
      if max(total, inDay) > Self.most, share.count > 0 {
        let messages = share.fresh + share.waiting
        held.append(
          PushPlan.HeldDeletions(
            messages, in: share.mailbox,
            total > Self.most ? .tooMany(total: total) : .tooManyInDay(total: inDay)))
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

  private func objection(_ mailbox: Int64, _ messages: [MissingMessage])
    -> PushPlan.HeldDeletions.Reason?
  {
    if goneFolders.contains(mailbox) { return .folderGone }
    if replacedFolders.contains(mailbox) { return .folderReplaced }
    let all = expected[mailbox] ?? messages.count
    if isTooMuch(messages.count, of: all) { return .halfOfFolder(expected: all) }
    if let reason = objectionOfDay(mailbox, messages) { return reason }
    // However few each of the folders had: a tree without any mail is hardly a whole one.
    let total = expected.values.reduce(0, +)
    return isEmptied && total > Self.fewest ? .nothingLeft(total: total) : nil
  }

  private func isTooMuch(_ count: Int, of all: Int) -> Bool {
    count > Self.fewest && count * 2 >= all
  }

  // MARK: Bit by bit

  /// From each push of the last day on: of the messages that were there when it began, how many are gone since. What came
  /// later does not count, so that a folder through which much mail goes can be kept empty.
  private func objectionOfDay(_ mailbox: Int64, _ messages: [MissingMessage])
    -> PushPlan.HeldDeletions.Reason?
  {
    // What waits for another reason goes nowhere.
    let hold = holds[mailbox].flatMap { $0.cause == .halfInDay ? nil : $0 }
    let going = messages.map(\.record.uid).filter { hold?.holds($0) != true }
    var sum = UIDSet(going)
    var reason: PushPlan.HeldDeletions.Reason?
    for push in (carried[mailbox] ?? []).reversed() {
      sum = sum.union(push.uids)
      let count = push.ofThoseThere(sum).count
      if isTooMuch(count, of: push.size) { reason = .halfInDay(count: count, expected: push.size) }
    }
    return reason
  }

  /// Of the messages that were there when the day began, all that go to the trash, and all that go for good.
  private func daily(_ shares: [Share]) -> [Bool: Int] {
    var gone = carried.mapValues { $0.reduce(UIDSet()) { $0.union($1.uids) } }
    for share in shares {
      let now = UIDSet(share.counted.map(\.record.uid))
      gone[share.mailbox] = gone[share.mailbox]?.union(now) ?? now
    }
    return gone.reduce(into: [:]) { totals, entry in
      let counted = carried[entry.key]?.first?.ofThoseThere(entry.value) ?? entry.value
      totals[finals.contains(entry.key), default: 0] += counted.count
    }
  }
}

extension CarriedDeletions {
  /// Of these messages those that were there when the push began.
  fileprivate func ofThoseThere(_ uids: UIDSet) -> UIDSet {
    uidNext > 1 ? uids.intersection(UIDSet(1...(uidNext - 1))) : UIDSet()
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
