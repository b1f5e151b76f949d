import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Settings
import State
import SyncPlan

/// A server that came back from an old backup: until a pull has looked, nothing is deleted on it, in no mailbox.
extension PushExecutor {
  /// What may be deleted; the rest waits, which is told.
  func withoutThoseOfRestored(_ deletions: [PushPlan.PlannedDeletion]) throws
    -> [PushPlan.PlannedDeletion]
  {
    guard !deletions.isEmpty, let restored = try restoredMailbox() else { return deletions }
    let groups = Dictionary(grouping: deletions, by: \.mailbox)
    for (mailbox, group) in groups.sorted(by: { order($0.key, $1.key) }) {
      count(
        PushAction(
          .waiting, mailbox: name(mailbox), detail: "the server seems to be restored",
          count: group.count))
    }
    let messages = Quantities.count(deletions.count, "deletion")
    context.note(
      RunProblem(
        mailbox: restored,
        problem:
          "The server looks as if it was restored from an old backup: nothing is deleted in any "
          + "mailbox (\(messages) here).",
        remedy: "Run `mirror pull`, then push again."))
    return []
  }

  /// One whose counters went backwards. What the list says is only a reason to look, since some servers count there from
  /// memory; one that cannot be looked into is no better.
  private func restoredMailbox() throws -> String? {
    if let known = restored.sorted(by: order).first { return name(known) }
    for mailbox in suspects {
      var isSound = false
      try sparing(mailbox) { isSound = try open(mailbox, asPlace: true) }
      if !isSound { return name(mailbox) }
    }
    return nil
  }

  /// Leaves a mailbox alone that is not as the state knows it.
  func skip(_ mailbox: Int64, _ objection: RunProblem, _ facts: SelectedMailbox) {
    if records[mailbox]?.isRestored(facts) == true { restored.insert(mailbox) }
    skip(mailbox, objection)
  }

  /// Of those that a pull looks into: others stay as they are known.
  static func suspects(
    _ records: [Int64: MailboxRecord], _ listings: [MailboxListing], _ folders: FolderPatterns
  ) -> [Int64] {
    let listed = Dictionary(
      listings.filter(\.isSelectable).map { ($0.name, $0.status) }, uniquingKeysWith: { $1 })
    return records.values.filter { record in
      guard !record.isGone, record.uidValidity != 0, folders.matches(record.mailboxName),
        let status = listed[record.mailboxName] ?? nil,
        status.uidValidity?.rawValue == record.uidValidity
      else { return false }
      return record.wentBackwards(
        uidNext: status.uidNext?.rawValue ?? 0, status.highestModSeq ?? .none)
    }.compactMap(\.id)
  }
}
