import Queue
import SMTPWire

/// Between the queue's terms and the server's.
extension EntrySubmission {
  /// The transaction that a queued message would begin with now; nil where none can be made.
  static func plan(_ entry: QueueEntry) -> SubmissionPlan? {
    guard let envelope = entry.envelope, entry.phase.state == .queued else { return nil }
    return try? plan(envelope, open: entry.phase.open)
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

  /// Where the server hung up after some answers, none of them a yes, what it left unanswered is no rest to be asked at
  /// once: the attempt has failed.
  static func event(
    _ results: [Int: RecipientResult], _ result: SubmissionOutcome.Result, _ open: [Int],
    _ isInterrupted: Bool
  ) -> QueueEvent {
    let isCut = results.count < open.count && !results.values.contains { $0.state == .offered }
    switch result {
    case .lost(let reason) where isCut && !isInterrupted: return .brokenOff(results, reason)
    case .deferred(_, let reply) where isCut: return .brokenOff(results, reply.words)
    case .lost, .deferred, .refused, .noRecipient, .accepted, .unknown, .unsuitable:
      return .recipients(results)
    }
  }

  static func words(
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
