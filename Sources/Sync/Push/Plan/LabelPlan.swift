import Ledger
import MailCore
import State
import SyncPlan

/// A message of Gmail's that goes from one folder and stays in another only loses a label there: it must never get to
/// the trash. By the state alone; before anything is done, the server's labels are asked.
struct LabelPlan {
  /// Identities of messages, and the mailboxes whose copies of them go for good.
  private(set) var leaving: [String: Set<MailboxKey>] = [:]
  private let exclusive: Set<MailboxKey>
  private let mailboxes: [MailboxKey: MailboxRecord]

  init(_ plan: PushPlan, _ mailboxes: some Sequence<MailboxRecord>) {
    self.mailboxes = mailboxes.byKey
    exclusive = Set(self.mailboxes.values.filter(\.isTrashOrJunk).map(\.id))
    for deletion in plan.deletions { note(deletion.record, deletion.mailbox) }
    for move in plan.moves where move.to.map(exclusive.contains) == true {
      note(move.record, move.from)
    }
  }

  private mutating func note(_ record: MessageRecord, _ mailbox: MailboxKey) {
    guard let identity = record.gmailIdentity else { return }
    leaving[identity, default: []].insert(mailbox)
  }

  /// The file came back: the message stays there.
  mutating func keep(_ record: MessageRecord, in mailbox: MailboxKey) {
    guard let identity = record.gmailIdentity else { return }
    leaving[identity]?.remove(mailbox)
  }

  /// Where the account goes on holding the message, as far as the state knows.
  func remaining(_ identity: String, besides mailbox: MailboxKey, _ state: StateStore) throws
    -> [PlacedMessage]
  {
    let goes = leaving[identity] ?? []
    return try state.copies(of: identity).filter { copy in
      copy.mailbox != mailbox && !goes.contains(copy.mailbox) && !exclusive.contains(copy.mailbox)
        && !copy.message.traits.contains(.expunged) && mailboxes[copy.mailbox]?.isGone == false
    }
  }

  func refined(_ plan: PushPlan, _ state: StateStore) throws -> PushPlan {
    guard !leaving.isEmpty else { return plan }
    var plan = plan
    for index in plan.deletions.indices {
      let deletion = plan.deletions[index]
      guard let identity = deletion.record.gmailIdentity, !exclusive.contains(deletion.mailbox),
        try !remaining(identity, besides: deletion.mailbox, state).isEmpty
      else { continue }
      plan.deletions[index].way = .unlabel
    }
    return plan
  }
}
