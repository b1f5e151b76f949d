import MIME

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What SMTP wants to know of some bytes with LF line ends.
struct BodyScan: Sendable, Equatable {
  /// Bytes, without the line feed.
  var longestLine = 0
  var hasEightBit = false

  /// RFC 5321 §4.5.3.1.6: 1000 with its CRLF.
  static let lineLimit = 998

  var hasLongLines: Bool { longestLine > Self.lineLimit }

  init(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    while start < bytes.count {
      let end = bytes.lineFeed(from: start)
      longestLine = max(longestLine, end - start)
      start = end + 1
    }
    hasEightBit = UTF8Scan.asciiEnd(bytes) < bytes.count
  }
}
