import MailCore

/// The bytes of a message for APPEND.
package enum AppendBody {
  case bytes([UInt8])
  case stream(IMAPCommand.Source)
}

/// How APPEND sends the message (RFC 9051 §6.3.12).
package enum AppendForm: Sendable {
  case plain
  /// `UTF8 (~{n})`: 8-bit headers after UTF8=ACCEPT (RFC 6855 §4).
  case utf8
}

extension IMAPCommand {
  // append = "APPEND" SP mailbox [SP flag-list] [SP date-time] SP literal, RFC 9051 §9
  package static func append(
    to rawName: [UInt8], marks: MessageMarks = MessageMarks(), internalDate: Int64? = nil,
    body: AppendBody, form: AppendForm = .plain
  ) throws(CommandError) -> IMAPCommand {
    var command = IMAPCommand("APPEND", mayTakeLong: true)
    command.add(mailbox: rawName)
    if marks != MessageMarks() {
      command.add(" ")
      try command.add(flags: marks.flags, keywords: Array(marks.keywords))
    }
    if let internalDate { command.add(" \"\(InternalDate.text(internalDate))\"") }
    command.add(form == .utf8 ? " UTF8 (" : " ")
    let isBinary = form == .utf8
    switch body {
    case .bytes(let bytes): command.add(literal: bytes, isBinary: isBinary)
    case .stream(let source): command.add(source, isBinary: isBinary)
    }
    if form == .utf8 { command.add(")") }
    return command
  }
}
