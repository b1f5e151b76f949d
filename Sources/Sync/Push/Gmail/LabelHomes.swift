import Ledger
import MailCore
import Remote
import SyncPlan

/// Where else the account goes on holding a message. \Deleted is stored nowhere but in Trash: elsewhere it means what
/// the person set in Gmail's settings. A message that another mirrored mailbox has only loses a label, any other goes to
/// Trash.
final class LabelHomes: PushPart {
  enum Home { case elsewhere, onlyHere, unknown }

  struct Found {
    /// The server's, of what is at the message's UID.
    var identity: String
    /// Nil where that is another message.
    var home: Home?
  }

  let desk: PushDesk
  /// Which messages go for good.
  private var plan: LabelPlan

  init(desk: PushDesk) {
    self.desk = desk
    plan = LabelPlan(PushPlan(), desk.known.records.values)
  }

  func begin(_ plan: PushPlan) { self.plan = LabelPlan(plan, known.records.values) }

  /// The file came back: the message stays there.
  func keep(_ record: MessageRecord, in mailbox: MailboxKey) { plan.keep(record, in: mailbox) }

  /// Where the account goes on holding the message, as far as the state knows.
  func remaining(_ identity: String, besides mailbox: MailboxKey) throws -> [PlacedMessage] {
    try plan.remaining(identity, besides: mailbox, state)
  }

  /// The server's labels decide. A copy that they do not name and that the state knows of (All Mail is no label; what
  /// another client took off may still be here) is looked for: a deletion must not become archiving, nor archiving a
  /// deletion.
  ///
  /// - Returns: by UID; of messages that are not there, or not shown, nothing. Nil where the mailbox cannot be opened.
  func find(_ records: [MessageRecord], in mailbox: MailboxKey) throws -> [UID: Found]? {
    let uids = UIDSet(records.map(\.uid))
    guard let facts = try mailboxes.with(mailbox, { try $0.gmailFacts(of: uids) }) else {
      return nil
    }
    let labels = known.gmailLabels
    var homes: [String: Home] = [:]
    var doubtful: [MailboxKey: [UID: String]] = [:]
    for fact in facts.values {
      if hasOtherLabel(fact, labels) {
        homes[fact.identity] = .elsewhere
        continue
      }
      homes[fact.identity] = .onlyHere
      for copy in try remaining(fact.identity, besides: mailbox) {
        doubtful[copy.mailbox, default: [:]][copy.message.uid] = fact.identity
      }
    }
    for (other, wanted) in doubtful.sorted(by: { $0.key < $1.key }) {
      let there = try mailboxes.with(other, asPlace: true) {
        try $0.gmailFacts(of: UIDSet(wanted.keys.sorted()))
      }
      for (uid, identity) in wanted where homes[identity] != .elsewhere {
        guard let there else {
          homes[identity] = .unknown
          continue
        }
        if there[uid]?.identity == identity { homes[identity] = .elsewhere }
      }
    }
    var found: [UID: Found] = [:]
    for record in records {
      guard let identity = facts[record.uid]?.identity, let home = homes[identity] else { continue }
      let isAnother = record.identity.map { $0 != identity } ?? false
      found[record.uid] = Found(identity: identity, home: isAnother ? nil : home)
    }
    return found
  }

  /// Whether another mirrored mailbox has the message, and keeps it.
  private func hasOtherLabel(_ fact: GmailFacts, _ labels: GmailLabels) -> Bool {
    let goes = plan.leaving[fact.identity] ?? []
    return fact.labels.contains { label in
      guard let other = labels.mailbox(of: label) else { return false }
      return other.key.map { !goes.contains($0) && !labels.isExclusive($0) } ?? true
    }
  }
}
