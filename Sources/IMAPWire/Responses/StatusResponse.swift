/// The word that opens a status response (RFC 9051 §7.1).
package enum StatusKind: String, Sendable, Equatable {
  case ok = "OK"
  case no = "NO"
  case bad = "BAD"
  case bye = "BYE"
  case preauth = "PREAUTH"
}

/// A status response's code and words; both may be missing.
package struct ResponseText: Sendable, Equatable {
  package var code: ResponseCode?
  /// The server's words, as sent: print them as `.visible`.
  package var text: String

  package init(code: ResponseCode? = nil, text: String = "") {
    self.code = code
    self.text = text
  }
}

/// How a command ended.
package struct TaggedResult: Sendable, Equatable {
  /// `.ok`, `.no` or `.bad`.
  package var status: StatusKind
  package var code: ResponseCode?
  /// The server's words, as sent: print them as `.visible`.
  package var text: String

  package init(status: StatusKind, code: ResponseCode? = nil, text: String = "") {
    self.status = status
    self.code = code
    self.text = text
  }

  package var isOK: Bool { status == .ok }
}
