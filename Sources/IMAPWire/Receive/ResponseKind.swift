/// What a response's first line tells about its framing.
enum ResponseKind {
  case fetch
  /// Status responses, completions and continuations: words that may end in `{3}` and mean nothing by it.
  case text
  case other

  init(_ line: UnsafeRawBufferPointer) {
    var cursor = WireCursor(line)
    guard cursor.take(UInt8(ascii: "*")) else {
      self = .text
      return
    }
    cursor.skipSpaces()
    if cursor.number() != nil {
      cursor.skipSpaces()
      self = cursor.takeWord("FETCH") ? .fetch : .other
      return
    }
    let isStatus =
      cursor.takeWord("OK") || cursor.takeWord("NO") || cursor.takeWord("BAD")
      || cursor.takeWord("BYE") || cursor.takeWord("PREAUTH") || cursor.next == UInt8(ascii: "[")
    self = isStatus ? .text : .other
  }
}
