/// A piece of a response: up to a literal that is not kept, or to the end.
struct ResponseSegment {
  enum Ending {
    case complete
    case body(UInt64)
    case tooLarge(UInt64)
  }
  /// Bytes without the line end or the `{n}`.
  var length: Int
  /// Bytes to consume with it.
  var total: Int
  var ending: Ending
  var at = 0
}
