import MailCore

/// Bytes that are kept as hexadecimal text.
package struct HexBytes: Codable, Sendable, Equatable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Nil for anything but pairs of hexadecimal digits.
  package init?(hex: String) {
    guard hex.utf8.count % 2 == 0 else { return nil }
    let nibbles = hex.utf8.compactMap { Hex.value($0) }
    guard nibbles.count == hex.utf8.count else { return nil }
    self.init(
      stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] })
  }

  package var hex: String {
    String(
      decoding: bytes.flatMap { [Hex.digit($0 >> 4), Hex.digit($0 & 15)] }, as: UTF8.self)
  }
}
