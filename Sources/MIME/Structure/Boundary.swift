#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The boundary of a multipart (RFC 2046 §5.1.1).
struct Boundary: Sendable, Hashable {
  enum Line: Hashable {
    /// A part starts behind it.
    case delimiter
    /// The last part ends at it.
    case close
  }

  /// Without the two dashes before it and blanks at its end.
  let text: [UInt8]

  /// What the line `start..<end` (without its LF) is to this boundary, or nil.
  ///
  /// The whole line has to match, but for blanks at its end: of two boundaries one may begin with
  /// the other.
  @inline(__always)
  func line(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Line? {
    let count = text.count
    guard end - start >= count + 2, let base = bytes.baseAddress,
      text.withUnsafeBytes({ isEqual($0, base + start + 2) })
    else { return nil }
    var rest = end
    let behind = start + 2 + count
    while rest > behind, ASCII.isBlank(bytes[rest - 1]) { rest -= 1 }
    if rest == behind { return .delimiter }
    let isClose =
      rest == behind + 2 && bytes[behind] == ASCII.dash && bytes[behind + 1] == ASCII.dash
    return isClose ? .close : nil
  }

  @inline(__always)
  private func isEqual(_ text: UnsafeRawBufferPointer, _ other: UnsafeRawPointer) -> Bool {
    guard let base = text.baseAddress else { return true }
    return memcmp(base, other, text.count) == 0
  }
}

/// The boundaries that may come next, of the multiparts that are open, outermost first.
struct BoundaryStack: Sendable {
  struct Open: Sendable {
    let boundary: Boundary
    /// Place of its multipart in the stack of open parts.
    let level: Int
  }

  private(set) var open: [Open] = []

  var isEmpty: Bool { open.isEmpty }

  mutating func push(_ boundary: Boundary, level: Int) {
    open.append(Open(boundary: boundary, level: level))
  }

  /// Forgets the boundaries of all levels from `level` on.
  mutating func removeAll(from level: Int) {
    while let last = open.last, last.level >= level { open.removeLast() }
  }

  /// Which boundary the line `start..<end` is: the innermost that fits.
  func match(
    _ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> (level: Int, line: Boundary.Line)? {
    guard end - start >= 2, bytes[start] == ASCII.dash, bytes[start + 1] == ASCII.dash else {
      return nil
    }
    for candidate in open.reversed() {
      if let line = candidate.boundary.line(bytes, from: start, to: end) {
        return (candidate.level, line)
      }
    }
    return nil
  }
}
