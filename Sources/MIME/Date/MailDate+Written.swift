extension MailDate {
  /// When a message was written: Date where it is plausible, else that of the newest Received.
  ///
  /// - Parameters:
  ///   - fields: of `bytes`.
  ///   - now: Unix seconds; dates well after it are not believed.
  /// - Returns: Unix seconds; nil where the header does not tell.
  package static func written(
    _ fields: HeaderFields, of bytes: UnsafeRawBufferPointer, now: Int64
  ) -> Int64? {
    if let value = fields.first(.date), let date = plausible(bytes[value], now) { return date }
    guard let value = fields.first(.received),
      let mark = bytes[value].lastIndex(of: UInt8(ascii: ";"))
    else { return nil }
    return plausible(bytes[(mark + 1)..<value.upperBound], now)
  }

  /// The same of a header that stands alone.
  package static func written(inHeader header: [UInt8], now: Int64) -> Int64? {
    header.withUnsafeBytes {
      written(HeaderFields($0, in: 0..<$0.count), of: $0, now: now)
    }
  }

  /// After 1971, when mail was invented, and no more than two days ahead.
  private static func plausible(_ value: Slice<UnsafeRawBufferPointer>, _ now: Int64) -> Int64? {
    guard let date = parse(UnsafeRawBufferPointer(rebasing: value))?.seconds,
      date > 365 * 86_400, date < now + 2 * 86_400
    else { return nil }
    return date
  }
}
