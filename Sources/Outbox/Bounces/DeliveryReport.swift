import MIME
import Maildir

/// What a server says, in a message, of one that it had taken: it did not reach somebody (RFC 3464).
package struct DeliveryReport: Sendable, Equatable {
  package struct Failure: Sendable, Equatable {
    /// As the sender and as the server at the end had it, in small letters.
    package var addresses: Set<String>
    /// The server's words, bounded.
    package var words: String
  }

  /// Tells this report from all others: its Message-ID, else a hash of it. At most 250 bytes.
  package var id: String
  /// What the message's sender called it (RFC 3461 §4.4).
  package var envelopeID: String?
  /// Of the message that it is about.
  package var messageID: String?
  /// Never empty.
  package var failures: [Failure]

  /// Nil for what reports no failure.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    let structure = MessageStructure.parse(bytes)
    guard let root = structure.parts.first, root.type.is("multipart", "report") else { return nil }
    var failures: [Failure] = []
    for part in structure.parts where part.depth == root.depth + 1 {
      var content: [UInt8] = []
      switch part.type.name {
      case "message/delivery-status", "message/global-delivery-status":
        guard Self.decode(part, bytes, structure, into: &content) else { continue }
        let blocks = Self.blocks(content)
        envelopeID =
          envelopeID ?? blocks.lazy.compactMap { Self.text("Original-Envelope-Id", $0) }.first
        failures += blocks.compactMap(Self.failure)
      case "message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers",
        "message/global-headers":
        guard Self.decode(part, bytes, structure, into: &content) else { continue }
        messageID = messageID ?? CopyHeader(content).messageID
      default: break
      }
    }
    guard !failures.isEmpty else { return nil }
    self.failures = failures
    id = Self.id(bytes, header: root.header)
  }

  private static func id(_ bytes: UnsafeRawBufferPointer, header: Range<Int>) -> String {
    guard let id = CopyHeader(Array(bytes[header])).messageID else {
      return String(XXH3.hash(bytes), radix: 16)
    }
    return id.utf8.count <= 250 ? id : String(XXH3.hash(Array(id.utf8)), radix: 16)
  }

  private static func decode(
    _ part: MessagePart, _ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure,
    into content: inout [UInt8]
  ) -> Bool {
    PartContent.append(section: part.section, of: bytes, structure, into: &content) != nil
  }

  /// One for the message, then one for each recipient, with blank lines in between.
  private static func blocks(_ content: [UInt8]) -> [RawHeader] {
    let lines = content.filter { $0 != 0x0D }.split(
      separator: 0x0A, omittingEmptySubsequences: false)
    return lines.split { $0.isEmpty }.map { block in
      Array(block.joined(separator: [0x0A])).withUnsafeBytes { RawHeader.parse($0).0 }
    }
  }

  private static func failure(_ block: RawHeader) -> Failure? {
    guard text("Action", block)?.lowercased() == "failed" else { return nil }
    let addresses = ["Original-Recipient", "Final-Recipient"]
      .compactMap { text($0, block).map(withoutType)?.lowercased() }
    guard !addresses.isEmpty else { return nil }
    let words = text("Diagnostic-Code", block).map(withoutType) ?? text("Status", block)
    return Failure(
      addresses: Set(addresses),
      words: String((words ?? "no reason given").unicodeScalars.prefix(400)))
  }

  /// `rfc822; bob@example.org` or `smtp; 550 no such user`: what stands behind the type.
  private static func withoutType(_ value: String) -> String {
    guard let semicolon = value.firstIndex(of: ";") else { return value }
    let rest = value[value.index(after: semicolon)...].drop { $0 == " " }
    return rest.hasPrefix("<") && rest.hasSuffix(">")
      ? String(rest.dropFirst().dropLast()) : String(rest)
  }

  private static func text(_ name: String, _ block: RawHeader) -> String? {
    block.unfolded(name).flatMap { $0.isEmpty ? nil : $0 }
  }
}
