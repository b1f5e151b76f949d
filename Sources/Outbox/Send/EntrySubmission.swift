import MailCore
import Maildir
import Queue
import SMTPClient
import SMTPWire

/// One attempt at one message: each step noted on disk before the next is taken.
struct EntrySubmission {
  let sender: OutboxSender
  let session: SMTPSession
  let interrupt: PatientInterrupt
  let clock: () -> QueueInstant
  /// For copies that a server without 8BITMIME needs.
  let temporaryDirectory: String

  /// Claims the entry and submits it on the open session.
  ///
  /// - Returns: the entry as it stands then; nil where somebody held or discarded it meanwhile.
  /// - Throws: what the disk refuses. The server may have nothing of the message then.
  func run(_ entry: QueueEntry) throws -> QueueEntry? {
    guard let claimed = try claim(entry), let envelope = claimed.envelope else { return nil }
    var current = try note(.reached, entry.id)
    let plan: SubmissionPlan
    do throws(SubmissionAddress.Problem) {
      plan = try Self.plan(envelope, open: current.phase.open)
    } catch {
      return try note(.refused("an address of the message is not well formed"), entry.id)
    }
    var outcome = try submit(claimed, envelope, plan, current.phase.open)
    if outcome?.result == .unsuitable(.needsSevenBit) {
      outcome = try submitNarrow(claimed, plan, current.phase.open)
    }
    guard let outcome else { return try park(entry.id) }
    current = try settle(outcome, entry.id, current.phase.open, plan)
    return current
  }

  private func claim(_ entry: QueueEntry) throws -> QueueEntry? {
    do throws(QueueError) {
      return try sender.note(.claim, for: entry.id, at: clock())
    } catch {
      switch error {
      case .noSuchEntry, .notAllowed, .damaged: return nil
      case .files, .ambiguous, .senderBusy: throw error
      }
    }
  }

  private func note(_ event: QueueEvent, _ id: QueueID) throws(QueueError) -> QueueEntry {
    try sender.note(event, for: id, at: clock())
  }

  static func plan(_ envelope: SubmissionEnvelope, open: [Int]) throws(SubmissionAddress.Problem)
    -> SubmissionPlan
  {
    var recipients: [SubmissionAddress] = []
    for index in open { recipients.append(try SubmissionAddress(envelope.recipients[index])) }
    return SubmissionPlan(
      sender: envelope.sender.isEmpty ? nil : try SubmissionAddress(envelope.sender),
      recipients: recipients, size: envelope.message.wireSize,
      hasEightBitBody: envelope.needs.contains(.eightBit),
      hasUTF8Header: envelope.needs.contains(.utf8), envelopeID: envelope.id.text,
      notify: envelope.notify)
  }

  // MARK: Submitting

  /// Nil where the message is no longer the one that was accepted; nothing of it counts then.
  private func submit(
    _ entry: QueueEntry, _ envelope: SubmissionEnvelope, _ plan: SubmissionPlan, _ open: [Int]
  ) throws -> SubmissionOutcome? {
    let reader = try sender.outbox.message(of: entry)
    do {
      return try transact(plan, open, entry.id, body: { try reader.read(into: &$0) }) {
        guard reader.isIntact else { throw QueueDamage.messageChanged }
      }
    } catch QueueDamage.messageChanged {
      return nil
    }
  }

  /// The same for a server without 8BITMIME.
  private func submitNarrow(_ entry: QueueEntry, _ plan: SubmissionPlan, _ open: [Int]) throws
    -> SubmissionOutcome?
  {
    let reader = try sender.outbox.message(of: entry)
    let whole = MessageSpool(directory: temporaryDirectory)
    var block = [UInt8](repeating: 0, count: 256 * 1024)
    while case let count = try reader.read(into: &block), count > 0 {
      try whole.append(Array(block[..<count]))
    }
    guard reader.isIntact else { return nil }
    let copy: SevenBitCopy
    do {
      copy = try whole.withBytes { try SevenBitCopy($0, directory: temporaryDirectory) }
    } catch is RecodingProblem {
      return SubmissionOutcome(
        recipients: plan.recipients.map { _ in .notTried }, result: .unsuitable(.needsSevenBit),
        isConnectionUsable: true, needsReset: false)
    }
    var narrow = plan
    narrow.size = copy.wireSize
    narrow.hasEightBitBody = false
    return try copy.spool.withBytes { bytes in
      var place = 0
      return try transact(
        narrow, open, entry.id,
        body: { buffer in
          let count = min(buffer.count, bytes.count - place)
          buffer.withUnsafeMutableBytes { room in
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[place..<(place + count)]))
          }
          place += count
          return count
        }, check: {})
    }
  }

  /// - Parameter check: throws where the end must not leave.
  private func transact(
    _ plan: SubmissionPlan, _ open: [Int], _ id: QueueID,
    body: @escaping (inout [UInt8]) throws -> Int, check: () throws -> Void
  ) throws -> SubmissionOutcome {
    defer { interrupt.verdictCame() }
    return try session.submit(
      plan, body: body,
      recipientsKnown: { answers in
        _ = try note(.recipients(Self.results(answers, open)), id)
      },
      willEnd: {
        try check()
        _ = try note(.dispatching, id)
        interrupt.endLeaves()
      })
  }

  // MARK: Noting what came of it

  private func settle(
    _ outcome: SubmissionOutcome, _ id: QueueID, _ open: [Int], _ plan: SubmissionPlan
  ) throws(QueueError) -> QueueEntry {
    if let current = try noteRecipients(outcome, id, open) {
      if current.phase.state != .sending { return current }
    }
    switch outcome.result {
    case .accepted(let reply): return try note(.accepted(receipt: reply.words), id)
    case .noRecipient:
      // Every one has its answer, noted above; where the server gave none it took no part in this.
      return try note(.deferred("the server took no recipient"), id)
    case .refused(_, let reply): return try note(.refused(reply.words), id)
    case .deferred(_, let reply): return try note(.deferred(reply.words), id)
    case .lost(let reason):
      return try note(.lost(reason, ownerDied: interrupt.isTriggered), id)
    case .unknown(let reason): return try note(.lost(reason, ownerDied: false), id)
    case .unsuitable(let problem):
      return try note(.refused(Self.words(problem, plan)), id)
    }
  }

  /// What RCPT brought, where the body did not follow.
  private func noteRecipients(_ outcome: SubmissionOutcome, _ id: QueueID, _ open: [Int])
    throws(QueueError) -> QueueEntry?
  {
    switch outcome.result {
    case .accepted, .unknown, .unsuitable: return nil
    case .lost, .noRecipient, .refused, .deferred: break
    }
    let results = Self.results(outcome.recipients, open)
    guard !results.isEmpty, let entry = try sender.outbox.read(id), entry.phase.state == .sending,
      entry.phase.step == .recipients
    else { return nil }
    return try note(.recipients(results), id)
  }

  private func park(_ id: QueueID) throws(QueueError) -> QueueEntry {
    _ = try note(.lost(QueueDamage.messageChanged.words, ownerDied: true), id)
    return try note(.hold(QueueDamage.messageChanged.words), id)
  }

  static func results(_ answers: [RecipientAnswer], _ open: [Int]) -> [Int: RecipientResult] {
    var results: [Int: RecipientResult] = [:]
    for (index, answer) in zip(open, answers) {
      switch answer {
      case .accepted: results[index] = RecipientResult(state: .offered)
      case .refused(let reply):
        results[index] = RecipientResult(state: .refused, reply: reply.words)
      case .deferred(let reply):
        results[index] = RecipientResult(state: .queued, reply: reply.words)
      case .notTried: break
      }
    }
    return results
  }

  private static func words(
    _ problem: SubmissionOutcome.Unsuitability, _ plan: SubmissionPlan
  ) -> String {
    switch problem {
    case .tooLarge(let limit):
      "the message has \(megabytes(plan.size)), and the server takes \(megabytes(limit))"
    case .needsSevenBit:
      "the server takes no 8-bit text, and the message cannot be encoded: a part is signed or damaged"
    case .needsUTF8: "the server takes no addresses or header fields beyond ASCII (SMTPUTF8)"
    }
  }

  private static func megabytes(_ bytes: UInt64) -> String {
    bytes < 10_000_000 ? "\(bytes / 1000) kB" : "\(bytes / 1_000_000) MB"
  }
}
