/// Reads lines and counted bytes from a connection.
struct LineReader {
  private let socket: Socket
  private var buffer: [UInt8] = []
  private var start = 0

  init(_ socket: Socket) { self.socket = socket }

  /// Without its CRLF; nil at the end of the stream.
  mutating func line() -> [UInt8]? {
    var scanned = start
    while true {
      if let end = buffer[scanned...].firstIndex(of: 10) {
        var line = buffer[start..<end]
        if line.last == 13 { line.removeLast() }
        start = end + 1
        return Array(line)
      }
      scanned = buffer.count
      let before = start
      guard fill() else { return nil }
      scanned -= before - start
    }
  }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    while buffer.count - start < count { guard fill() else { return nil } }
    defer { start += count }
    return Array(buffer[start..<(start + count)])
  }

  /// A line with its literals in it, as `{n}CRLF` and n bytes.
  ///
  /// - Parameter announce: called before a literal that waits for a continuation.
  mutating func lineWithLiterals(_ announce: () -> Void = {}) -> [UInt8]? {
    guard var whole = line() else { return nil }
    var last = whole
    while let (size, waits) = IMAPValue.literalSize(endOf: last) {
      if waits { announce() }
      guard let literal = bytes(size), let rest = line() else { return nil }
      whole += [13, 10]
      whole += literal
      whole += rest
      last = rest
    }
    return whole
  }

  /// What was read and not yet taken.
  mutating func takeRest() -> [UInt8] {
    defer { (buffer, start) = ([], 0) }
    return Array(buffer[start...])
  }

  private mutating func fill() -> Bool {
    if start > 1 << 16 {
      buffer.removeFirst(start)
      start = 0
    }
    let bytes = socket.read()
    buffer += bytes
    return !bytes.isEmpty
  }
}
