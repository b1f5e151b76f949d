import MailCore
import SASL

/// A command line, whole but for its CRLF. Made only here, so that no line holds another.
package struct SMTPCommand: Sendable, Hashable {
  package let text: String
  /// The wire log shows only the verb.
  package let isSecret: Bool

  private init(_ text: String, isSecret: Bool = false) {
    self.text = text
    self.isSecret = isSecret
  }

  package var bytes: [UInt8] { Array(text.utf8) + [0x0D, 0x0A] }
  package var verb: String { String(text.prefix { $0 != " " && $0 != ":" }) }

  /// - Parameter name: a domain name or an address literal; anything else becomes a neutral one.
  package static func ehlo(_ name: String) -> SMTPCommand { SMTPCommand("EHLO \(safe(name))") }
  package static func helo(_ name: String) -> SMTPCommand { SMTPCommand("HELO \(safe(name))") }
  package static let startTLS = SMTPCommand("STARTTLS")
  package static let data = SMTPCommand("DATA")
  package static let reset = SMTPCommand("RSET")
  package static let quit = SMTPCommand("QUIT")

  /// RFC 4954 §4: an empty initial response is `=`.
  package static func authenticate(_ mechanism: SASLMechanism, initial: [UInt8]?) -> SMTPCommand {
    guard let initial else { return SMTPCommand("AUTH \(mechanism.rawValue)") }
    let text = initial.isEmpty ? "=" : String(decoding: Base64.encode(initial), as: UTF8.self)
    return SMTPCommand("AUTH \(mechanism.rawValue) \(text)", isSecret: true)
  }

  // mail = "MAIL FROM:" Reverse-path [SP Mail-parameters] CRLF, RFC 5321 §4.1.1.2
  static func mail(from address: String, parameters: [String]) -> SMTPCommand {
    SMTPCommand((["MAIL FROM:<\(address)>"] + parameters).joined(separator: " "))
  }

  // rcpt = "RCPT TO:" Forward-path [SP Rcpt-parameters] CRLF, RFC 5321 §4.1.1.3
  static func recipient(_ address: String, parameters: [String]) -> SMTPCommand {
    SMTPCommand((["RCPT TO:<\(address)>"] + parameters).joined(separator: " "))
  }

  // bdat-cmd = "BDAT" SP chunk-size [ SP end-marker ] CR LF, RFC 3030 §2
  package static func chunk(_ size: Int, isLast: Bool) -> SMTPCommand {
    SMTPCommand("BDAT \(size)\(isLast ? " LAST" : "")")
  }

  private static func safe(_ name: String) -> String {
    let isSafe =
      !name.isEmpty && name.utf8.count <= 255 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    return isSafe ? name : "[127.0.0.1]"
  }
}
