import Ledger
import MailCore
import SyncPlan

/// A server that came back from an old backup: until a pull has looked, nothing is deleted on it, in no mailbox.
struct RestoredServer: PushPart {
  let desk: PushDesk
  /// Mailboxes whose counters went backwards when they were listed.
  private let suspects: [MailboxKey]

  init(desk: PushDesk) {
    self.desk = desk
    suspects = Self.suspects(desk.known).sorted(by: desk.known.order)
  }

  /// What may be deleted; the rest waits, which is told.
  func spare(_ deletions: [PushPlan.PlannedDeletion]) throws -> [PushPlan.PlannedDeletion] {
    guard !deletions.isEmpty, let restored = try restoredMailbox() else { return deletions }
    let groups = Dictionary(grouping: deletions, by: \.mailbox)
    for (mailbox, group) in groups.sorted(by: { known.order($0.key, $1.key) }) {
      count(.waiting, mailbox, detail: "the server seems to be restored", count: group.count)
    }
    let messages = Quantities.count(deletions.count, "deletion")
    report.tell(
      RunProblem(
        mailbox: restored,
        problem:
          "The server looks as if it was restored from an old backup: nothing is deleted in any "
          + "mailbox (\(messages) here).", again: "Run `mirror pull`, then push again."))
    return []
  }

  /// One whose counters went backwards. What the list says is only a reason to look, since some servers count there from
  /// memory; one that cannot be looked into is no better.
  private func restoredMailbox() throws -> String? {
    if let first = mailboxes.restored.sorted(by: known.order).first { return name(first) }
    for mailbox in suspects {
      var isSound = false
      try mailboxes.sparing(mailbox) { isSound = try mailboxes.opens(mailbox, asPlace: true) }
      if !isSound { return name(mailbox) }
    }
    return nil
  }

  /// Of those that a pull looks into: others stay as they are known.
  private static func suspects(_ known: KnownMailboxes) -> [MailboxKey] {
    let listed = Dictionary(
      known.listings.filter(\.isSelectable).map { ($0.name, $0.status) }, uniquingKeysWith: { $1 })
    return known.records.values.filter { record in
      guard !record.isGone, record.uidValidity != 0, known.folders.matches(record.mailboxName),
        let status = listed[record.mailboxName] ?? nil,
        status.uidValidity?.rawValue == record.uidValidity
      else { return false }
      return record.wentBackwards(
        uidNext: status.uidNext?.rawValue ?? 0, status.highestModSeq ?? .none)
    }.map(\.id)
  }
}
