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
  let allowsMassDelete: Bool

  package init(expected: [Int64: Int], goneFolders: Set<Int64>, allowsMassDelete: Bool) {
    self.expected = expected
    self.goneFolders = goneFolders
    self.allowsMassDelete = allowsMassDelete
  }

  /// Returns what may go; the rest is added to `held`.
  package func judge(_ gone: [MissingMessage], _ held: inout [PushPlan.HeldDeletions])
    -> [MissingMessage]
  {
    if allowsMassDelete { return gone }
    var allowed: [MissingMessage] = []
    for (mailbox, messages) in Dictionary(grouping: gone, by: \.mailbox).sorted(by: {
      $0.key < $1.key
    }) {
      if let reason = objection(mailbox, messages.count) {
        held.append(
          PushPlan.HeldDeletions(mailbox: mailbox, count: messages.count, reason: reason))
      } else {
        allowed += messages
      }
    }
    guard allowed.count > Self.most else { return allowed }
    for (mailbox, messages) in Dictionary(grouping: allowed, by: \.mailbox).sorted(by: {
      $0.key < $1.key
    }) {
      held.append(
        PushPlan.HeldDeletions(
          mailbox: mailbox, count: messages.count, reason: .tooMany(total: allowed.count)))
    }
    return []
  }

  private func objection(_ mailbox: Int64, _ count: Int) -> PushPlan.HeldDeletions.Reason? {
    if goneFolders.contains(mailbox) { return .folderGone }
    let all = expected[mailbox] ?? count
    return count > Self.fewest && count * 2 >= all ? .halfOfFolder(expected: all) : nil
  }
}
