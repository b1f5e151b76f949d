/// A person or list as an address field names it (RFC 5322 §3.4).
package struct MailAddress: Sendable, Hashable {
  /// The display name, decoded; empty where there is none.
  package let name: String
  /// `local@domain` as written, without comments and routes. Without the `@` where the field has none
  /// (`root`); empty where it names no address at all: a bare name, or a group without members.
  package let address: String
  /// The group it stands in.
  package let group: String?

  package init(name: String, address: String, group: String? = nil) {
    self.name = name
    self.address = address
    self.group = group
  }
}

extension MailAddress {
  /// `Name <local@domain>`, as a person reads it; a group without members by its name.
  ///
  /// A name that could be taken for more than one stands in quotes: `"Doe, Jane" <jane@example.org>`.
  package var display: String {
    if name.isEmpty { return address.isEmpty ? group ?? "" : address }
    return address.isEmpty ? quotedName : "\(quotedName) <\(address)>"
  }

  private var quotedName: String {
    guard name.utf8.contains(where: Self.isAmbiguous) else { return name }
    let inner = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(inner)\""
  }

  /// RFC 5322's specials without the dot and the quote, which mislead nobody within a name.
  private static func isAmbiguous(_ byte: UInt8) -> Bool {
    switch byte {
    case ASCII.comma, ASCII.semicolon, ASCII.colon, ASCII.less, ASCII.greater, ASCII.at,
      ASCII.openParenthesis, UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "\\"):
      true
    default: false
    }
  }
}

/// Address fields: `From`, `To`, `Cc` and their like.
package enum AddressList {
  /// Reads all addresses of a field, at most `limit`.
  ///
  /// Tolerant of what the wild writes: names without quotes, encoded words with commas in them,
  /// semicolons between addresses, brackets and quotes that never close. A group without members
  /// (`undisclosed-recipients:;`) is one entry without an address.
  /// `fallback` is as in ``HeaderText/decode(_:fallback:)``.
  package static func parse(
    _ value: UnsafeRawBufferPointer, limit: Int = 10_000, fallback: Charset = .windows1252
  ) -> [MailAddress] {
    var parser = AddressParser(value, limit: limit, fallback: fallback)
    return parser.parse()
  }

  /// All on one line; of more than `most` only the first, and a mark that there are more.
  package static func display(_ addresses: [MailAddress], most: Int = .max) -> String {
    let shown = addresses.prefix(most).map(\.display).filter { !$0.isEmpty }
    return (shown + (addresses.count > most ? ["…"] : [])).joined(separator: ", ")
  }
}
