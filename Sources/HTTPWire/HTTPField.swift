/// One line of a header: a name and its value.
package struct HTTPField: Sendable, Equatable {
  package let name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  // field-line = field-name ":" OWS field-value OWS; no space before the colon (RFC 9112 §5).
  init(line: [UInt8]) throws(HTTPWireError) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Self.isName(line[..<colon]),
      Self.isValue(line[(colon + 1)...])
    else { throw .malformedField }
    name = String(decoding: line[..<colon], as: UTF8.self)
    value = String(decoding: Self.trimmed(line[(colon + 1)...]), as: UTF8.self)
  }

  /// Names know no case (RFC 9110 §5.1).
  func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

  /// Goes on with a line that began with a space (obs-fold, RFC 9112 §5.2): one space stands for the break.
  mutating func unfold(_ line: [UInt8]) throws(HTTPWireError) {
    guard Self.isValue(line) else { throw .malformedField }
    let more = String(decoding: Self.trimmed(line[...]), as: UTF8.self)
    value += value.isEmpty || more.isEmpty ? more : " " + more
  }

  // token = 1*tchar, RFC 9110 §5.6.2.
  static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: symbols.contains(byte)
        }
      }
  }

  private static let symbols = Set("!#$%&'*+-.^_`|~".utf8)

  // field-vchar = VCHAR / obs-text, with SP and HTAB between them; no other control, above all no CR and no NUL.
  static func isValue(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  /// Without the spaces and tabs around it.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return rest
  }
}
