import Maildir

/// XXH3-64 of what a message says below its header, without its line ends at the end.
package struct BodyHash: Hashable, Sendable {
  fileprivate let value: UInt64
}

/// Tells whether two messages say the same, whatever a mail reader, a queue or a server did to the header: a copy that
/// was saved has Bcc, one that was sent has Received. Kinds of line ends, and line ends at the end, do not count.
package struct BodyHasher {
  /// With LF line ends, at most ``longestHeader`` bytes.
  package private(set) var header: [UInt8] = []
  private var isInHeader = true
  private var isAtLineStart = true
  private var lineEnds = 0
  private let stream = XXH3.Stream()
  private static let longestHeader = 256 << 10

  package init() {}

  /// The message's next bytes, with whatever line ends.
  package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while isInHeader, let byte = rest.popFirst() {
      if byte == 13 { continue }
      isInHeader = !(byte == 10 && isAtLineStart)
      isAtLineStart = byte == 10
      if header.count < Self.longestHeader { header.append(byte) }
    }
    guard !rest.isEmpty else { return }
    var text: [UInt8] = []
    text.reserveCapacity(rest.count)
    for byte in rest where byte != 13 {
      if byte == 10 {
        lineEnds += 1
        continue
      }
      while lineEnds > 0 {
        text.append(10)
        lineEnds -= 1
      }
      text.append(byte)
    }
    text.withUnsafeBytes { stream.feed($0) }
  }

  /// Of what was fed so far.
  package var value: BodyHash { BodyHash(value: stream.value) }
}
