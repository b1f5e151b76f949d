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
}
