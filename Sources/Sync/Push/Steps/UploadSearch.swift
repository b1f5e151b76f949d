import Ledger
import MailCore
import Maildir
import Remote
import SyncPlan

/// Looks for messages that were sent, and of which the server did not tell where they are: the answer was lost, or it
/// tells of none.
struct UploadSearch: PushPart {
  let desk: PushDesk
  let labels: LabelArrivals?
  private var arrivals: Arrivals { Arrivals(desk: desk) }

  /// Finds appended messages by UIDs that are new since, header, and content. What is not there after
  /// some seconds is sent again: a server that stores it still later has it twice. Not where the server said that it took
  /// it: that one is looked for by its Message-ID, too, since some servers change what they take.
  func lookFor(_ steps: [PushStep], in mailbox: MailboxKey) throws {
    guard var missing = try mailboxes.with(mailbox, { try arrive(steps, in: mailbox, $0) }) else {
      return
    }
    // Of a push that died, or a line that was lost, the last bytes may still be on their way, or the server still at work.
    for seconds in context.patience where missing.contains(where: { $0.stage == .append }) {
      guard context.interrupt.wait(seconds: seconds) else { throw SyncError.interrupted }
      let left = try mailboxes.with(mailbox) { open in
        _ = try open.run([.noop])
        return try arrive(missing, in: mailbox, open)
      }
      guard let left else { return }
      missing = left
    }
    try journal.drop(missing.filter { $0.stage == .append })
    try lookFor(taken: missing.filter { $0.stage != .append }, in: mailbox)
  }

  /// - Returns: the steps whose message is not there.
  private func arrive(
    _ steps: [PushStep], in mailbox: MailboxKey, _ open: borrowing OpenMailbox
  ) throws -> [PushStep] {
    if session.quirks.contains(.checkAfterAppend) { _ = try open.run([.check]) }
    let fresh = try finder.fresh(since: steps, in: mailbox, open)
    let headers = try open.headers(of: fresh).mapValues(\.headerHash)
    let wanted = Set(steps.map(\.record.headerHash))
    let candidates = UIDSet(headers.filter { wanted.contains($0.value) }.keys.sorted())
    let contents = try open.contents(of: candidates)
    let missing = try arrive(steps, among: contents, open)
    if !missing.isEmpty {
      try finder.expectShown(fresh, headers.keys, in: mailbox, open)
      try finder.expectShown(candidates, contents.keys, in: mailbox, open)
    }
    return try arrive(missing, atStaleRecordsOf: mailbox, open)
  }

  /// - Returns: the steps whose message is none of these.
  private func arrive(
    _ steps: [PushStep], among contents: [UID: DigestProbe.Found], _ open: borrowing OpenMailbox
  ) throws -> [PushStep] {
    var free = contents.sorted { $0.key < $1.key }
    return try steps.filter { step in
      guard let place = free.firstIndex(where: { $0.value.holds(step.record) }) else { return true }
      let uid = free.remove(at: place).key
      try arrivals.arrived(step, at: uid, identity: labels?.identity(of: uid, open))
      files.setDate(ofFileOf: step)
      return false
    }
  }

  /// The server said that it took them, and shows nothing that is byte for byte the same.
  private func lookFor(taken all: [PushStep], in mailbox: MailboxKey) throws {
    // A message may have to be labelled there, which is for a push to do.
    if labels != nil && mailboxes.onlyLooks { return }
    let steps = try labels?.labelKnown(all, in: mailbox) ?? all
    guard !steps.isEmpty else { return }
    try mailboxes.with(mailbox) { open in
      var identities: [UInt32: String] = [:]
      for step in steps { identities[step.number] = try files.messageID(of: step) }
      let first = finder.firstUID(since: steps, open.facts)
      let headers = identities.isEmpty ? [:] : try open.headers(of: open.uids(from: first))
      for step in steps {
        guard let identity = identities[step.number] else {
          if try files.isThere(step) {
            tellUnrecognised(step)
          } else if !mayShowLate(step) {
            // The file is gone: nothing waits for the message any more.
            try journal.drop([step])
          }
          continue
        }
        let places = headers.filter { $0.value.messageID == identity }.keys
        let isOnlyOne = identities.values.count { $0 == identity } == 1
        guard isOnlyOne, places.count == 1, let uid = places.first else {
          tellUnrecognised(step)
          continue
        }
        var step = step
        step.record.traits.insert(.differs)
        let pulled = try state.message(in: mailbox, uid)
        // Another message's record, from before the server was restored from a backup: its file repeats nothing.
        let isStale =
          pulled?.headerHash != headers[uid]?.headerHash && known.isUnconfirmed(uid, in: mailbox)
        if let pulled, pulled.name != step.record.name, !isStale {
          guard try takeOver(pulled, for: step, in: mailbox) else {
            try journal.drop([step])
            continue
          }
        }
        try arrivals.arrived(step, at: uid, identity: labels?.identity(of: uid, open))
      }
    }
  }

  /// Some servers show to one session late what another brought. Till then a file that was moved on is no new message.
  private func mayShowLate(_ step: PushStep) -> Bool {
    guard case .appended(_, let time) = step.stage else { return false }
    return context.started - time < 3600
  }

  /// A server that was restored from a backup gives what is sent the UIDs of records that only pushes have made. What
  /// is there byte for byte as it was sent is no message of theirs.
  ///
  /// - Returns: the steps whose message is not there, either.
  private func arrive(
    _ steps: [PushStep], atStaleRecordsOf mailbox: MailboxKey, _ open: borrowing OpenMailbox
  ) throws -> [PushStep] {
    guard !steps.isEmpty else { return [] }
    let first = max(
      1, finder.firstUID(since: steps, open.facts), known.records[mailbox]?.forwardCursor ?? 0)
    let known = try state.messages(in: mailbox, first...UInt32.max)
    let wanted = Set(steps.map(\.record.headerHash))
    let stale = try UIDCheck(desk: desk).look(at: known, unconfirmedOnly: true, in: mailbox)
      .differing.filter { wanted.contains($0.value.headerHash) }
    return try arrive(steps, among: open.contents(of: UIDSet(stale.keys.sorted())), open)
  }

  private func tellUnrecognised(_ step: PushStep) {
    guard journal.wasBegunHere(step) else { return }  // told by the survey
    tell(
      step.target,
      "The server took “\(String(decoding: step.record.name, as: UTF8.self).visible)”, and does not "
        + "show it: it is not sent again.", remedy: "It is looked for again on every push.")
  }

  /// Unlinks the file that a pull made of what was sent: only one that it named itself and that nobody changed, and only
  /// if the file that was sent is there with the very content that was sent.
  ///
  /// - Returns: whether the file that was sent stands for the message now.
  func takeOver(_ pulled: MessageRecord, for step: PushStep, in mailbox: MailboxKey) throws -> Bool
  {
    guard let folder = try context.folders.local(ofMailbox: mailbox) else { return false }
    let name = try files.nameNow(of: step, in: folder)
    let (hash, flags) = (step.record.contentHash, step.record.agreed.flags)
    guard try folder.holds(hash, in: name, lastFlags: flags) else { return false }
    // The pull matched the very file that was sent.
    guard pulled.name != name else { return true }
    guard let birth = BirthName(base: pulled.name), birth.uid == pulled.uid else { return true }
    guard !context.isRehearsal else { return true }
    _ = try folder.unlink(pulled.name, lastFlags: pulled.agreed.flags) {
      try folder.isAsAgreed($0, pulled)
    }
    return true
  }
}
