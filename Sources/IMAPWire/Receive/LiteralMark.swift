// literal = "{" number64 ["+"] "}" CRLF *CHAR8, RFC 9051 §9
/// The `{n}` at the end of a line that announces a literal.
struct LiteralMark {
  /// Where `{`, or the `~` before it, stands.
  var start: Int
  var size: UInt64

  init?(endOf bytes: UnsafeRawBufferPointer, from lineStart: Int, to length: Int) {
    guard length > lineStart, bytes[length - 1] == UInt8(ascii: "}") else { return nil }
    var open = length - 2
    if open > lineStart, bytes[open] == UInt8(ascii: "+") || bytes[open] == UInt8(ascii: "-") {
      open -= 1
    }
    let last = open
    while open >= lineStart, bytes[open] &- UInt8(ascii: "0") <= 9 { open -= 1 }
    guard open < last, open >= lineStart, bytes[open] == UInt8(ascii: "{") else { return nil }
    var cursor = WireCursor(bytes)
    cursor.at = open + 1
    size = cursor.number() ?? .max  // saturates: beyond any limit
    start = open
    if open > lineStart, bytes[open - 1] == UInt8(ascii: "~") { start -= 1 }
  }
}
