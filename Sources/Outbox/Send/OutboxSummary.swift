import MailCore
import Queue

/// What became of an account's queue in one run.
package struct OutboxSummary: Sendable, Encodable {
  package struct Message: Sendable, Encodable, Equatable {
    package var id: String
    package var subject: String?
    package var state: String
    /// The server's words, or ours.
    package var words: String?

    package init(_ entry: QueueEntry) {
      id = entry.id.text
      subject = entry.envelope?.subject
      state = entry.state.rawValue
      words = entry.error
    }
  }

  package struct Problem: Sendable, Encodable, Equatable {
    /// `personal`, or `personal/outbox ID`.
    package var subject: String
    package var problem: String
    package var remedy: String?
    /// As ``Explanation/lastingRemedy``.
    package var lastingRemedy: String?
    /// It only says that the run was told to end.
    package var isInterruption = false
    /// It is about copies in Sent.
    package var isOfCopies = false

    private enum CodingKeys: String, CodingKey { case subject, problem, remedy }
  }

  package var account: String
  /// Those that this run had in hand, or found still in need of attention.
  package var messages: [Message] = []
  /// Handed to the server whole in this run.
  package private(set) var sentCount = 0
  /// These, for those who tell of each; the JSON only counts them.
  package private(set) var sent: [QueueEntry] = []
  /// Still queued: for their next attempt, or because the server could not be reached.
  package var waitingCount = 0
  package var problems: [Problem] = []
  package private(set) var exitStatus: Int32 = 0
  /// The same of the messages alone, and of their copies in Sent: one server may work while the other does not.
  package private(set) var sendingStatus: Int32 = 0
  package private(set) var copiesStatus: Int32 = 0

  package init(account: String) { self.account = account }

  private enum CodingKeys: String, CodingKey {
    case account, messages, sentCount, waitingCount, problems, exitStatus
  }

  mutating func add(sent entry: QueueEntry) {
    sentCount += 1
    sent.append(entry)
  }

  package mutating func add(
    _ explanation: Explanation, at place: String? = nil, ofCopies: Bool = false
  ) {
    problems.append(
      Problem(
        subject: place.map { "\(account)/outbox \($0)" } ?? account, problem: explanation.problem,
        remedy: explanation.remedy, lastingRemedy: explanation.lastingRemedy,
        isInterruption: explanation.exitStatus == .interrupted, isOfCopies: ofCopies))
    worsen(explanation.exitStatus, ofCopies: ofCopies)
  }

  mutating func worsen(_ status: ExitStatus, ofCopies: Bool = false) {
    func worse(_ before: Int32) -> Int32 {
      (ExitStatus(rawValue: before) ?? .inPart).combined(with: status).rawValue
    }
    exitStatus = worse(exitStatus)
    if ofCopies {
      copiesStatus = worse(copiesStatus)
    } else {
      sendingStatus = worse(sendingStatus)
    }
  }
}

extension QueueEntry {
  /// What the user has to know or do about it; nil where all is in order.
  package var concern: Explanation? {
    let name = envelope?.subject.map { "“\($0.visible)”" } ?? "A message"
    let why = error.map { ": \($0.visible.withoutPeriod)" } ?? ""
    if let damage {
      return Explanation(
        problem: "\(name) is parked\(why).", remedy: damage.remedy(id), exitStatus: .inPart)
    }
    switch phase.state {
    case .queued, .sending:
      if phase.hasUnknown {
        return Explanation(
          problem: "\(name) may have been sent or not to \(told(.unknown))\(why)."
            + " The others get it all the same.",
          remedy: "Ask them; `mirror outbox show \(id)` tells more.", exitStatus: .inPart)
      }
      guard phase.attempts > 0 else { return nil }
      return Explanation(
        problem: "\(name) could not be sent yet\(why).", remedy: "The next push tries it again.",
        exitStatus: .inPart)
    case .held:
      // What the user held is no news; what was parked for another reason is, until it is dealt with.
      guard let error = phase.error, error != HoldReason.byHand else { return nil }
      let wasEdited = error == HoldReason.edited
      return Explanation(
        problem: wasEdited
          ? "\(name) is held while it is being edited."
          : "\(name) is parked: \(error.visible.withoutPeriod).",
        remedy: wasEdited
          ? "If no editor has it open any more: `mirror outbox release \(id)`."
          : "Look into Sent, then `mirror outbox release \(id)` or `discard` it.",
        exitStatus: .inPart)
    case .unknown:
      return Explanation(
        problem: "\(name) may have been sent or not to \(told(.unknown))\(why)."
          + " It is not sent again by itself.",
        remedy:
          "Ask a recipient, then `mirror outbox discard \(id)` or `mirror outbox retry \(id)`.",
        exitStatus: .inPart)
    case .failed where phase.recipients.contains(where: \.cameBack):
      return Explanation(
        problem: "\(name) came back from \(told(.refused, .failed)).",
        remedy: waysOn,
        exitStatus: .inPart)
    case .failed:
      return Explanation(
        problem: "\(name) was not sent\(why).",
        remedy: waysOn,
        exitStatus: .inPart)
    case .sent:
      guard phase.hasRefusals else { return nil }
      return Explanation(
        problem: "\(name) was sent, but not to \(told(.refused, .failed)).",
        remedy: file == nil
          ? waysOn : "`mirror outbox retry \(id)` sends it to them again, `discard` forgets it.",
        exitStatus: .inPart)
    }
  }

  /// What can be done about one that nobody got. Where its bytes are unlinked nothing sends it again.
  private var waysOn: String {
    guard file == nil else {
      return "`mirror outbox edit \(id)` or `retry` sends it again, `discard` forgets it."
    }
    return (phase.copy == .filed ? "The message lies in Sent; " : "")
      + "`mirror outbox discard \(id)` forgets what became of it."
  }

  /// The recipients in these states, with the server's words where it refused.
  private func told(_ states: RecipientState...) -> String {
    let all = zip(envelope?.recipients ?? [], phase.recipients).filter {
      states.contains($0.1.state)
    }
    let names = all.prefix(20).map { address, result in
      result.state == .unknown
        ? address.visible
        : "\(address.visible) (\((result.reply ?? "no reason given").visible))"
    }
    return names.joined(separator: ", ") + (all.count > 20 ? " and \(all.count - 20) more" : "")
  }
}
