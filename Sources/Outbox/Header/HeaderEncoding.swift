import MIME
import SMTPWire

/// Brings raw characters beyond ASCII in header fields into RFC 2047's words, so that the message needs
/// no SMTPUTF8, which few servers have. What cannot be written so stays as it is.
enum HeaderEncoding {
  static let addressFields = [
    "From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Resent-From", "Resent-Sender", "Resent-To",
    "Resent-Cc", "Resent-Bcc", "Mail-Followup-To", "Disposition-Notification-To",
  ]
  /// Fields with a grammar in which words have no place.
  private static let structuredFields = [
    "Content-Type", "Content-Disposition", "Content-Transfer-Encoding", "Content-ID",
    "MIME-Version", "Message-ID", "References", "In-Reply-To", "Date", "Received", "Return-Path",
    "DKIM-Signature", "List-Id", "List-Unsubscribe", "List-Post", "Autocrypt",
  ]

  static func encode(_ field: inout RawHeader.Field) {
    guard field.hasEightBit else { return }
    if addressFields.contains(where: field.isNamed) {
      if let value = addresses(Array(field.value)) { field = RawHeader.Field(field.name, value) }
    } else if !structuredFields.contains(where: field.isNamed) {
      let text = Array(field.value).withUnsafeBytes { HeaderText.decode($0) }
      field = RawHeader.Field(field.name, EncodedWordWriter.unstructured(text))
    }
  }

  /// Nil where the list cannot be written again without loss: groups, or addresses beyond ASCII.
  private static func addresses(_ value: [UInt8]) -> String? {
    var texts: [String] = []
    for entry in value.withUnsafeBytes({ AddressList.parse($0) }) {
      guard entry.group == nil, let address = try? SubmissionAddress(entry.address),
        let spelled = address.isASCII ? address.text : address.withASCIIDomain
      else { return nil }
      texts.append(mailbox(name: entry.name, address: spelled))
    }
    return texts.isEmpty ? nil : texts.joined(separator: ",\n ")
  }

  /// `Name <address>`, or the address alone.
  static func mailbox(name: String, address: String) -> String {
    name.isEmpty ? address : "\(EncodedWordWriter.phrase(name)) <\(address)>"
  }
}
