/// How the end of an answer's body is known (RFC 9112 §6.3), for answers to GET and POST.
package enum BodyFraming: Sendable, Equatable {
  /// 204 and 304 have none, whatever their header says.
  case none
  case counted(Int)
  case chunked
  /// The server closes the connection; with TLS it says so, else the body may lack its end.
  case untilClose

  init(status: Int, fields: [HTTPField]) throws(HTTPWireError) {
    if status == 204 || status == 304 {
      self = .none
      return
    }
    let codings = fields.filter { $0.isNamed("Transfer-Encoding") }
    let lengths = fields.filter { $0.isNamed("Content-Length") }
    if !codings.isEmpty {
      // Two servers on the way may take the one or the other; both together mean a mistake or an attack.
      guard lengths.isEmpty else { throw .malformedLength }
      guard codings.count == 1, codings[0].value.lowercased() == "chunked" else {
        throw .unknownCoding
      }
      self = .chunked
    } else if lengths.isEmpty {
      self = .untilClose
    } else {
      self = .counted(try Self.length(lengths))
    }
  }

  /// The same number may stand there several times, on lines of its own or in a list.
  private static func length(_ fields: [HTTPField]) throws(HTTPWireError) -> Int {
    var length: Int?
    for field in fields {
      for part in Array(field.value.utf8).split(
        separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      {
        guard let number = Digits.number(HTTPField.trimmed(part), radix: 10),
          length == nil || length == number
        else { throw .malformedLength }
        length = number
      }
    }
    guard let length else { throw .malformedLength }
    return length
  }
}
