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
}
