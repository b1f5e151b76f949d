/// Holds what has come and was not yet used, and gives it away as lines or as bytes.
struct LineBuffer: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0
  /// No line feed stands before this place.
  private var searched = 0

  var isEmpty: Bool { start == bytes.count }

  mutating func append(_ more: some Sequence<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// The next line without its CRLF, or the bare LF that some servers write (RFC 9112 §2.2); nil where it has not come.
  ///
  /// - Parameter limit: for the line with its end, in bytes.
  mutating func line(limit: Int, else tooLong: HTTPWireError) throws(HTTPWireError) -> [UInt8]? {
    guard let feed = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      if bytes.count - start >= limit { throw tooLong }
      return nil
    }
    guard feed - start < limit else { throw tooLong }
    var line = bytes[start..<feed]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    start = feed + 1
    searched = start
    return Array(line)
  }

  /// What there is, at most `count`; nil where there is nothing.
  mutating func bytes(atMost count: Int) -> [UInt8]? {
    let taken = bytes[start...].prefix(count)
    guard !taken.isEmpty else { return nil }
    start = taken.endIndex
    searched = start
    return Array(taken)
  }
}
