import MailCore

/// How mailbox names stand on the wire of one connection.
///
/// Decoding never fails: bytes that fit no encoding read as Latin-1, so that a person sees a name
/// and two names stay two. Commands send the server's own bytes back, never a re-encoding.
package struct MailboxNameCoding: Sendable {
  /// UTF-8 stands for itself (RFC 6855 §3, IMAP4rev2), since ENABLE.
  package var isUTF8 = false
  /// Brings decoded names to NFC. Injected, since this module knows no Unicode tables.
  package var normalise: @Sendable (String) -> String

  package init(
    isUTF8: Bool = false, normalise: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.isUTF8 = isUTF8
    self.normalise = normalise
  }

  package func decode(_ raw: some Collection<UInt8>) -> String {
    if raw.allSatisfy({ $0 < 0x80 && (isUTF8 || $0 != UInt8(ascii: "&")) }) {
      return String(decoding: raw, as: UTF8.self)
    }
    if !isUTF8, let text = ModifiedUTF7.decode(raw) { return normalise(text) }
    // Servers without UTF8=ACCEPT have sent plain UTF-8 all the same.
    if let text = String(validating: raw, as: UTF8.self) { return normalise(text) }
    var latin1 = String.UnicodeScalarView()
    for byte in raw { latin1.append(Unicode.Scalar(byte)) }
    return String(latin1)
  }

  /// The bytes of a name that is new to the server.
  package func encode(_ name: String) -> [UInt8] {
    isUTF8 ? Array(name.utf8) : ModifiedUTF7.encode(name)
  }
}
