/// The tag that ties a command to its completion: `A` and a number (RFC 9051 §2.2.1).
package struct CommandTag: Hashable, Sendable, CustomStringConvertible {
  package let number: UInt32
  package init(_ number: UInt32) { self.number = number }
  package var description: String { "A\(number)" }

  /// Reads back what ``description`` wrote.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var cursor = WireCursor(bytes)
    guard cursor.take(UInt8(ascii: "A")), let value = cursor.number(), cursor.isAtEnd,
      let number = UInt32(exactly: value)
    else { return nil }
    self.number = number
  }
}
