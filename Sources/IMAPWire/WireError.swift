/// Why the bytes of a connection can't be followed any further. The connection must be closed.
package enum WireError: Error, Equatable, Sendable {
  /// A response passed `limit` bytes without its end.
  case responseTooLong(limit: Int)
  /// A literal announced more bytes than any message can have.
  case literalTooLarge(UInt64)
}
