import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Sessions that lag behind others, and mailboxes that a server restored from a backup: both show less than is known.
extension MailboxPull {
  /// How long a session gets to catch up, in seconds, before its mailbox counts as restored.
  private static let patience: [Double] = [1, 2, 3]
  /// How long, in seconds, a push's messages may be unknown to other sessions before a person is told.
  private static let usualLag: Int64 = 120
  /// How long before they are taken for lost, and sent again by the next push: a server that was restored to a moment
  /// before the push shows the same counters as one that lags. No counter tells them apart, since replicas that take
  /// changes of their own go on counting. What does is another message under the same UID (``withoutStrangers``).
  private static let longestLag: Int64 = 86_400

  /// Opens the mailbox; again, after a while, where its counters are behind what another session showed before.
  func opened(
    _ remote: RemoteMailbox, asking question: DeltaQuestion, _ known: KnownMessages
  ) throws -> MailboxDelta {
    var delta = try remote.open(target, asking: question, marksOf: known.recorded)
    for seconds in Self.patience where try isBehind(delta, known) {
      guard context.interrupt.wait(seconds: seconds) else { throw SyncError.interrupted }
      delta = try remote.open(target, asking: question, marksOf: known.recorded)
    }
    return delta
  }

  /// Behind what a pull saw, or what the server told a push.
  func isBehind(_ delta: MailboxDelta, _ known: KnownMessages) throws -> Bool {
    guard record.uidValidity == delta.uidValidity.rawValue else { return false }
    if record.wentBackwards(uidNext: delta.uidNext, delta.highestModSeq) { return true }
    let shown = delta.listed ?? delta.new
    guard !known.unseen(uidNext: delta.uidNext, shown: shown).isEmpty else { return false }
    return try secondsSincePush() > Self.longestLag
  }

  /// Since the first push whose messages no pull has seen all of.
  private func secondsSincePush() throws -> Int64 {
    let pushed = try context.state.fact(Fact.pushed(to: mailboxID)).flatMap { Int64($0) }
    return pushed.map { context.started - $0 } ?? 0
  }

  /// The server shows what pushes brought.
  func forgetPush() throws {
    guard try context.state.fact(Fact.pushed(to: mailboxID)) != nil else { return }
    try context.state.transaction { try $0.removeFact(Fact.pushed(to: mailboxID)) }
    context.noteChange()
  }

  /// What a push brought and the server still does not show.
  func tellOfUnseen(_ unseen: UIDSet) throws {
    guard try !unseen.isEmpty && secondsSincePush() > Self.usualLag else { return }
    context.note(
      RunProblem(
        mailbox: record.name,
        problem:
          "The server does not show \(Quantities.count(unseen.count, "message")) that it took from "
          + "a push: either it lags, or it was restored from a backup.",
        remedy: "They stay here; after a day, `mirror pull` has the next push send them again.",
        exitStatus: .done))
  }

  /// Where a server was restored to just before a push, it gives the push's UIDs to other messages. What is shown for
  /// the first time under such a UID is looked at: it must be what was pushed.
  ///
  /// A stranger's record is forgotten: the message there is new, and the file here one that the server does not have.
  func withoutStrangers(
    _ known: KnownMessages, shown: UIDSet, _ remote: RemoteMailbox
  ) throws -> KnownMessages {
    let met = known.pushed.intersection(shown)
    // A pull that was cut off has met more than a push, and saw what it met. The cursor tells nothing of a mailbox that
    // was empty then.
    guard !met.isEmpty, !record.isDirty, record.uidNext > 0 else { return known }
    let probe = DigestProbe(whole: false, labelName: context.policy.keywords.line?.name)
    var request: FetchRequest? = FetchRequest(.headers, met)
    try remote.fetch(
      opening: nil,
      next: {
        defer { request = nil }
        return request
      }, into: probe)
    var strangers: [UID] = []
    for (uid, found) in probe.found {
      switch try likeness(of: uid, found) {
      case .same: break
      case .unclear: unclear.insert(uid)
      case .stranger: strangers.append(uid)
      }
    }
    guard !strangers.isEmpty else { return known }
    try context.state.transaction { transaction in
      for uid in strangers { try transaction.remove(uid, from: mailboxID) }
      try transaction.removeScan(of: mailboxID)
    }
    context.noteChange()
    context.note(
      RunProblem(
        mailbox: record.name,
        problem:
          "\(strangers.count) messages that were pushed are gone from the server, which gave their "
          + "UIDs to others: it looks as if it was restored from a backup.",
        remedy: "They stay here; the next push sends them again.", exitStatus: .done))
    return KnownMessages(
      recorded: known.recorded.subtracting(UIDSet(strangers.sorted())), failed: known.failed,
      pushed: known.pushed)
  }

  private enum Likeness {
    case same
    /// The header is another, and no file is here to tell whether the server rewrote it.
    case unclear
    case stranger
  }

  /// Servers may rewrite a header, but not another message's Message-ID into it: where either has none, it is believed.
  private func likeness(of uid: UID, _ found: DigestProbe.Found) throws -> Likeness {
    guard let record = try context.state.message(in: mailboxID, uid),
      !record.name.isEmpty, record.headerHash != 0, record.headerHash != found.hash
    else { return .same }
    let file = try local.withFile(record.name, lastFlags: record.agreed.flags) {
      MessageIDField.value(in: try local.folder.header(of: $0, policy: context.policy))
    }
    // A person moved or removed it: the push that carries that out looks at the message.
    guard let header = file else { return .unclear }
    guard let own = header, let identity = found.messageID else { return .same }
    return own == identity ? .same : .stranger
  }
}
