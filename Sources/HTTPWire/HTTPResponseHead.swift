/// Status and header of an answer.
package struct HTTPResponseHead: Sendable, Equatable {
  package let status: Int
  package let fields: [HTTPField]
  package let framing: BodyFraming

  init(status: Int, fields: [HTTPField]) throws(HTTPWireError) {
    self.status = status
    self.fields = fields
    framing = try BodyFraming(status: status, fields: fields)
  }

  /// The first one of this name, in any spelling.
  package func value(of name: String) -> String? { fields.first { $0.isNamed(name) }?.value }

  // status-line = HTTP-version SP status-code SP [ reason-phrase ], RFC 9112 §4. The last space may be missing:
  // there are servers without a reason.
  static func status(of line: [UInt8]) throws(HTTPWireError) -> Int {
    let versions = [Array("HTTP/1.1 ".utf8), Array("HTTP/1.0 ".utf8)]
    guard let version = versions.first(where: line.starts) else { throw .notHTTP }
    let rest = line[version.count...]
    let digits = rest.prefix { $0 != 0x20 }
    guard digits.count == 3, let status = Digits.number(digits, radix: 10), status >= 100,
      HTTPField.isValue(rest)
    else { throw .notHTTP }
    return status
  }
}
