import SafeHTML

/// How a list or newsletter is left (RFC 2369, RFC 8058).
struct Unsubscribing: Sendable, Equatable {
  /// Web pages and addresses, in the sender's order.
  var addresses: [String]
  /// Whether the page ends it by one request, without further questions.
  var isOneClick: Bool

  /// - Returns: nil where no field of the header says how.
  init?(_ headers: [MessageDocument.HeaderLine]) {
    func value(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name }?.value
    }
    guard let field = value("list-unsubscribe") else { return nil }
    addresses = field.split(separator: "<").compactMap { piece in
      guard let end = piece.firstIndex(of: ">"),
        let address = WebAddress(String(piece[..<end].filter { !$0.isWhitespace }))
      else { return nil }
      let isKnown = address.isWeb || address.text.lowercased().hasPrefix("mailto:")
      return isKnown ? address.text : nil
    }
    guard !addresses.isEmpty else { return nil }
    let post = value("list-unsubscribe-post")?.lowercased().filter { !$0.isWhitespace }
    isOneClick = post == "list-unsubscribe=one-click"
  }

  /// The one to show: a page before an address to write to.
  var best: String {
    addresses.first { $0.lowercased().hasPrefix("http") } ?? addresses.first ?? ""
  }

  var json: JSONValue {
    .object(["addresses": .strings(addresses), "one_click": .bool(isOneClick)])
  }
}
