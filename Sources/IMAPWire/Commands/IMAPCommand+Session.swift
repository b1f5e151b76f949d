import MailCore

extension IMAPCommand {
  package static var capability: IMAPCommand { IMAPCommand("CAPABILITY") }
  package static var noop: IMAPCommand { IMAPCommand("NOOP") }
  package static var check: IMAPCommand { IMAPCommand("CHECK") }
  package static var startTLS: IMAPCommand { IMAPCommand("STARTTLS") }
  package static var compress: IMAPCommand { IMAPCommand("COMPRESS DEFLATE") }
  package static var namespace: IMAPCommand { IMAPCommand("NAMESPACE") }
  /// Leaves the mailbox and expunges nothing (RFC 9051 §6.4.2); CLOSE would.
  package static var unselect: IMAPCommand { IMAPCommand("UNSELECT") }

  // authenticate = "AUTHENTICATE" SP auth-type [SP initial-resp], RFC 9051 §9
  package static func authenticate(_ mechanism: String, initial base64: [UInt8]?) -> IMAPCommand {
    var command = IMAPCommand("AUTHENTICATE")
    command.add(" \(mechanism)")
    if let base64 {
      command.add(" ")
      command.add(bytes: base64.isEmpty ? [UInt8(ascii: "=")] : base64)
      command.isSecret = true
    }
    return command
  }

  package static func login(user: String, password: Secret) -> IMAPCommand {
    var command = IMAPCommand("LOGIN")
    command.isSecret = true
    command.add(" ")
    command.add(string: Array(user.utf8))
    command.add(" ")
    password.withBytes { command.add(string: $0) }
    return command
  }

  package static func enable(_ capabilities: [Capability]) -> IMAPCommand {
    var command = IMAPCommand("ENABLE")
    for capability in capabilities { command.add(" \(capability.rawValue)") }
    return command
  }

  /// Tells who we are, and asks the server the same (RFC 2971 §3.1).
  package static func id(_ fields: [(key: String, value: String)]) -> IMAPCommand {
    var command = IMAPCommand("ID")
    guard !fields.isEmpty else {
      command.add(" NIL")
      return command
    }
    for (index, field) in fields.enumerated() {
      command.add(index == 0 ? " (" : " ")
      command.add(string: Array(field.key.utf8))
      command.add(" ")
      command.add(string: Array(field.value.utf8))
    }
    command.add(")")
    return command
  }
}
