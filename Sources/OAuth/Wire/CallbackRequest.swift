import MailCore

/// What a browser asks of the loopback address, judged (RFC 6749 §4.1.2).
package enum CallbackRequest: Equatable {
  case code(Secret)
  case refused(OAuthRefusal)
  /// Another log-in's answer, or a forged one.
  case foreignState
  case otherPath
  case otherMethod
  case malformed

  /// - Parameters:
  ///   - head: the request up to its empty line.
  ///   - path: of the redirect address; at least `/`.
  package init(head: some Sequence<UInt8>, path: String, state: String) {
    let line = Array(head.prefix { $0 != 0x0D && $0 != 0x0A })
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, words[2].starts(with: Array("HTTP/1.".utf8)) else {
      self = .malformed
      return
    }
    let question = words[1].firstIndex(of: UInt8(ascii: "?")) ?? words[1].endIndex
    guard words[1][..<question].elementsEqual(path.utf8) else {
      self = .otherPath
      return
    }
    guard words[0].elementsEqual("GET".utf8) else {
      self = .otherMethod
      return
    }
    self.init(query: words[1][question...].dropFirst(), state: state)
  }

  /// - Parameter query: what stands behind the question mark.
  init(query: some Sequence<UInt8>, state: String) {
    guard let fields = FormText.decode(query) else {
      self = .malformed
      return
    }
    guard let told = fields["state"], Self.areSame(told, Array(state.utf8)) else {
      self = .foreignState
      return
    }
    if let error = fields["error"] {
      let words = fields["error_description"].map { String(decoding: $0, as: UTF8.self) }
      self = .refused(OAuthRefusal(code: String(decoding: error, as: UTF8.self), words: words))
    } else if let code = fields["code"], !code.isEmpty, fields["error"] == nil {
      self = .code(Secret(code))
    } else {
      self = .malformed
    }
  }

  /// In a time that tells nothing of where they differ.
  static func areSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
