import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Messages that a push brought to the server, and that no pull has seen there yet.
struct PushedMessages {
  let mailbox: PulledMailbox
  /// Those that this session does not show.
  private(set) var unseen = UIDSet()
  /// Those that may be other messages by now: nobody can tell before the next push.
  private(set) var unclear = UIDSet()
  /// How long, in seconds, a push's messages may be unknown to other sessions before a person is told.
  private static let usualLag: Int64 = 120
  /// How long before they are taken for lost, and sent again by the next push: a server that was restored to a moment
  /// before the push shows the same counters as one that lags. No counter tells them apart, since replicas that take
  /// changes of their own go on counting. What does is another message under the same UID (``forgetReplaced(in:shown:_:)``).
  private static let longestLag: Int64 = 86_400

  init(_ mailbox: PulledMailbox) { self.mailbox = mailbox }

  /// Whether the session ought to show them by now.
  func areOverdue() throws -> Bool { try secondsSincePush() > Self.longestLag }

  /// Since the first push whose messages no pull has seen all of.
  private func secondsSincePush() throws -> Int64 {
    let pushed = try mailbox.state.pushedSince(in: mailbox.id)
    return pushed.map { mailbox.context.started - $0 } ?? 0
  }

  /// What the server still does not show.
  mutating func wait(for unseen: UIDSet) throws {
    self.unseen = unseen
    guard try !unseen.isEmpty && secondsSincePush() > Self.usualLag else { return }
    mailbox.report(PullNotice.pushNotShown(unseen.count))
  }

  /// The server shows them all.
  func forget() throws {
    guard try unseen.isEmpty && mailbox.state.pushedSince(in: mailbox.id) != nil else { return }
    try mailbox.commit { try $0.forgetPushed(in: mailbox.id) }
  }

  // MARK: Replaced messages

  /// Where a server was restored to just before a push, it gives the push's UIDs to other messages. What is shown for
  /// the first time under such a UID is looked at: it must be what was pushed.
  ///
  /// The record of one that is not is forgotten: the message there is new, and the file here one that the server does
  /// not have.
  mutating func forgetReplaced(
    in known: inout KnownMessages, shown: UIDSet, _ remote: borrowing OpenMailbox
  ) throws {
    let met = known.pushed.intersection(shown)
    // A pull that was cut off has met more than a push, and saw what it met. The cursor tells nothing of a mailbox that
    // was empty then.
    guard !met.isEmpty, !mailbox.record.isDirty, mailbox.record.uidNext > 0 else { return }
    var replaced: [UID] = []
    for (uid, found) in try remote.headers(of: met) {
      switch try likeness(of: uid, found) {
      case .same: break
      case .unclear: unclear.insert(uid)
      case .other: replaced.append(uid)
      }
    }
    guard !replaced.isEmpty else { return }
    try mailbox.commit { transaction in
      for uid in replaced { try transaction.remove(uid, from: mailbox.id) }
      try transaction.removeScan(of: mailbox.id)
    }
    mailbox.report(PullNotice.pushReplaced(replaced.count))
    known = KnownMessages(
      recorded: known.recorded.subtracting(UIDSet(replaced.sorted())), failed: known.failed,
      pushed: known.pushed)
  }

  private enum Likeness {
    case same
    /// The header is another, and no file is here to tell whether the server rewrote it.
    case unclear
    case other
  }

  /// Servers may rewrite a header, but not another message's Message-ID into it: where either has none, it is believed.
  private func likeness(of uid: UID, _ found: DigestProbe.Found) throws -> Likeness {
    guard let record = try mailbox.state.message(in: mailbox.id, uid),
      !record.name.isEmpty, record.headerHash != .unknown, record.headerHash != found.headerHash
    else { return .same }
    let local = try mailbox.local
    let file = try local.withFile(of: record) {
      MessageIDField.value(in: try local.folder.header(of: $0, policy: mailbox.policy))
    }
    // A person moved or removed it: the push that carries that out looks at the message.
    guard let header = file else { return .unclear }
    guard let own = header, let identity = found.messageID else { return .same }
    return own == identity ? .same : .other
  }
}
