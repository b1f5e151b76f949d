/// What NOTIFY can tell of a mailbox (RFC 5465 §5).
package enum NotifyEvent: String, Sendable, CaseIterable {
  // The first two come as a pair, and the third with both.
  case messageNew = "MessageNew"
  case messageExpunge = "MessageExpunge"
  case flagChange = "FlagChange"
  case mailboxName = "MailboxName"
}

extension IMAPCommand {
  /// Answered with `+`; the line `DONE` ends it (RFC 2177).
  package static var idle: IMAPCommand { IMAPCommand("IDLE") }

  // notify = "NOTIFY" SP (notify-add / notify-none), RFC 5465 §8
  /// Asks to be told of all of the user's own mailboxes, and how each stands now.
  package static func notify(_ events: [NotifyEvent]) -> IMAPCommand {
    var command = IMAPCommand("NOTIFY")
    command.add(
      " SET STATUS (personal (\(events.map(\.rawValue).joined(separator: " "))))")
    return command
  }
}
