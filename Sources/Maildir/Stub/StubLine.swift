/// The first line of a file of which parts stay on the server: `X-Mirror-Stub: 1; size=274090; parts=2,3.1`.
///
/// It stands above the keywords line. A message of the server's that begins with a field of this name gets a keywords line
/// on top of it, perhaps an empty one, or where the tree has none, ``guardLine(ending:)``: so a first line of this form is
/// always ours.
package struct StubLine: Sendable, Hashable {
  /// Bytes of the whole message, as the server counts them.
  package var size: UInt64
  /// The sections that are not here (RFC 9051 §6.4.5.1), in the order of the message.
  package var parts: [String]

  private static let name = Array("x-mirror-stub:".utf8)
  private static let start = Array("X-Mirror-Stub: 1; size=".utf8)
  private static let middle = Array("; parts=".utf8)
  /// No line of ours is longer, so that every reader of the file sees all of it in its first block.
  package static let longest = 2048

  /// Nil where there is nothing to leave out, or so much that the line would grow too long.
  package init?(size: UInt64, parts: [String]) {
    self.size = size
    self.parts = parts
    guard !parts.isEmpty, bytes(ending: .crlf).count <= Self.longest else { return nil }
  }

  /// Of a file's first bytes; nil where they are no line of ours.
  package init?(atStartOf bytes: UnsafeRawBufferPointer) {
    guard bytes.starts(with: Self.start) else { return nil }
    let line = bytes.prefix(Self.longest)
    guard let end = line.firstIndex(of: ASCII.lf) else { return nil }
    var rest = line[Self.start.count..<end]
    if rest.last == ASCII.cr { rest = rest.dropLast() }
    var size: UInt64 = 0
    var digits = 0
    while let digit = rest.first.map({ $0 &- UInt8(ascii: "0") }), digit <= 9, digits < 18 {
      size = size * 10 + UInt64(digit)
      digits += 1
      rest = rest.dropFirst()
    }
    guard digits > 0, rest.starts(with: Self.middle) else { return nil }
    let sections = rest.dropFirst(Self.middle.count)
      .split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard !sections.isEmpty, sections.allSatisfy(Self.isSection) else { return nil }
    self.size = size
    parts = sections.map { String(decoding: Array($0), as: UTF8.self) }
  }

  private static func isSection(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    let numbers = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return !numbers.isEmpty
      && numbers.allSatisfy { number in
        (1...6).contains(number.count) && number.first != UInt8(ascii: "0")
          && number.allSatisfy { $0 &- UInt8(ascii: "0") <= 9 }
      }
  }

  /// Whether a message begins with a field of this name, in whatever form.
  static func isNamed(atStartOf bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= name.count && zip(bytes, name).allSatisfy { ASCII.lowered($0) == $1 }
  }

  /// Stands above a whole message that begins with a field of this name, in a tree without keywords lines.
  static func guardLine(ending: LineEndings) -> [UInt8] {
    guardText + (ending == .crlf ? [ASCII.cr, ASCII.lf] : [ASCII.lf])
  }

  static let guardText = Array("X-Mirror-Stub: 0".utf8)

  func bytes(ending: LineEndings) -> [UInt8] {
    let end = ending == .crlf ? [ASCII.cr, ASCII.lf] : [ASCII.lf]
    return Self.start + Array(String(size).utf8) + Self.middle
      + Array(parts.joined(separator: ",").utf8) + end
  }
}
