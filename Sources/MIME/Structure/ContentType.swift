/// A media type with its parameters (RFC 2045 §5), tolerant of what the wild writes.
package struct ContentType: Sendable, Hashable {
  /// Lower case, "text".
  package let media: String
  /// Lower case, "plain".
  package let subtype: String
  /// In the order written, names in lower case, values decoded (RFC 2231, RFC 2047).
  package let parameters: [FieldParameter]

  package init(media: String, subtype: String, parameters: [FieldParameter] = []) {
    self.media = media
    self.subtype = subtype
    self.parameters = parameters
  }

  /// "text/plain"
  package var name: String { media + "/" + subtype }

  package var isMultipart: Bool { media == "multipart" }

  /// A type whose body is a whole message.
  package var isMessage: Bool {
    media == "message" && (subtype == "rfc822" || subtype == "global" || subtype == "news")
  }

  package func `is`(_ media: String, _ subtype: String) -> Bool {
    self.media == media && self.subtype == subtype
  }

  /// The value of a parameter; the name in lower case.
  package func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  package var charset: String? { parameter("charset") }

  /// What RFC 2045 §5.2 takes where nothing is said.
  package static let plainText = ContentType(media: "text", subtype: "plain")
  /// What a multipart/digest takes instead (RFC 2046 §5.1.5).
  package static let message = ContentType(media: "message", subtype: "rfc822")
}

/// A parameter of a header field: `name=value`.
package struct FieldParameter: Sendable, Hashable {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
