import MailCore
import Maildir
import State

/// Sessions that lag behind others, and mailboxes that a server restored from a backup: both show less than is known.
extension MailboxPull {
  /// How long a session gets to catch up, in seconds, before its mailbox counts as restored.
  private static let patience: [Double] = [1, 2, 3]

  /// Opens the mailbox; again, after a while, where its counters are behind what another session showed before.
  func opened(_ remote: some RemoteMailbox, asking question: DeltaQuestion) throws -> MailboxDelta {
    var delta = try remote.open(target, asking: question)
    for seconds in Self.patience where isBehind(delta) {
      guard context.interrupt.wait(seconds: seconds) else { throw SyncError.interrupted }
      delta = try remote.open(target, asking: question)
    }
    return delta
  }

  func isBehind(_ delta: MailboxDelta) -> Bool {
    record.uidValidity == delta.uidValidity.rawValue
      && record.wentBackwards(uidNext: delta.uidNext, delta.highestModSeq)
  }

  /// Where a server was restored to just before a push, it gives the push's UIDs to other messages. What is shown for
  /// the first time under such a UID is looked at: it must be what was pushed.
  ///
  /// A stranger's record is forgotten: the message there is new, and the file here one that the server does not have.
  func withoutStrangers(
    _ known: KnownMessages, shown: UIDSet, _ remote: some RemoteMailbox
  ) throws -> KnownMessages {
    let met = known.pushed.intersection(shown)
    // A pull that was cut off has met more than a push, and saw what it met.
    guard !met.isEmpty, !record.isDirty, record.forwardCursor > 0 else { return known }
    let probe = DigestProbe(whole: false, labelName: context.policy.keywords.line?.name)
    var request: FetchRequest? = FetchRequest(.headers, met)
    try remote.fetch(
      opening: nil,
      next: {
        defer { request = nil }
        return request
      }, into: probe)
    var strangers: [UID] = []
    for (uid, found) in probe.found where try isStranger(uid, found) { strangers.append(uid) }
    guard !strangers.isEmpty else { return known }
    try context.state.transaction { transaction in
      for uid in strangers { try transaction.remove(uid, from: mailboxID) }
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

  /// Servers may rewrite a header, but not another message's Message-ID into it: where either has none, it is believed.
  private func isStranger(_ uid: UID, _ found: DigestProbe.Found) throws -> Bool {
    guard let identity = found.messageID,
      let record = try context.state.message(in: mailboxID, uid),
      !record.name.isEmpty, record.headerHash != 0, record.headerHash != found.hash
    else { return false }
    let own = try local.withFile(record.name, lastFlags: record.agreed.flags) {
      MessageIDField.value(in: try local.folder.header(of: $0, policy: context.policy))
    }
    guard let own = own ?? nil else { return false }
    return own != identity
  }
}
