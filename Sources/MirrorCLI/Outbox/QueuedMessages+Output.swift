import CLISupport
import MailCore
import Queue
import Reading

extension QueuedMessages.Message {
  /// The object of `outbox --format json`.
  var json: JSONValue {
    .object([
      "id": .string(entry.id.text), "account": .string(account.name),
      "message_id": .optional(entry.envelope?.messageID),
      "subject": .optional(entry.envelope?.subject), "queued": .date(entry.queuedSeconds),
      "state": .string(entry.state.rawValue), "attempts": .integer(Int64(entry.phase.attempts)),
      "next_attempt": entry.nextAttemptSeconds.map { .date($0) } ?? .null,
      "error": .optional(entry.error), "recipients": .array(recipients),
    ])
  }

  private var recipients: [JSONValue] {
    zip(entry.envelope?.recipients ?? [], entry.phase.recipients).map { address, result in
      .object([
        "address": .string(address), "state": .string(result.state.publicWord),
        "reply": .optional(result.reply),
      ])
    }
  }

  /// One line of `outbox list`, and one more for what went wrong.
  func lines(showsAccount: Bool) -> [String] {
    let to = entry.envelope?.recipients ?? []
    let more = to.count > 1 ? " +\(to.count - 1)" : ""
    let state = entry.state.rawValue.padded(to: 7)
    let date = CivilTime(local: entry.queuedSeconds).dayText
    var lines = [
      "\(entry.id)  \(state)  \(date)  " + (showsAccount ? "\(account.name)  " : "")
        + "\(to.first ?? "?")\(more)  \(entry.envelope?.subject ?? "")"
    ]
    if let error = entry.error, !entry.isDone { lines.append("               \(error)") }
    return lines
  }

  /// What `outbox show` says before the message.
  var details: [String] {
    var lines = [
      "Id: \(entry.id)", "Account: \(account.name)", "State: \(entry.state.rawValue)",
      "Queued: \(CivilTime.rfc3339(entry.queuedSeconds))", "Attempts: \(entry.phase.attempts)",
    ]
    if let next = entry.nextAttemptSeconds {
      // Nobody sends it by itself at that time.
      lines.append("Next attempt: with the next push; it counts from \(CivilTime.rfc3339(next)) on")
    }
    if let error = entry.error { lines.append("Error: \(error)") }
    if let receipt = entry.phase.receipt { lines.append("Receipt: \(receipt)") }
    guard let envelope = entry.envelope else { return lines }
    lines.append("Sender: \(envelope.sender.isEmpty ? "<>" : envelope.sender)")
    for (address, result) in zip(envelope.recipients, entry.phase.recipients) {
      let reply = result.reply.map { ": \($0)" } ?? ""
      lines.append("Recipient: \(address), \(result.state.publicWord)\(reply)")
    }
    return lines
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
