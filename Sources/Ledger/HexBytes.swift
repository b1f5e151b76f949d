/// Bytes that are kept as hexadecimal text.
package struct HexBytes: Codable, Sendable, Equatable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Nil for anything but pairs of lower-case hexadecimal digits.
  package init?(hex: String) {
    guard hex.utf8.count % 2 == 0 else { return nil }
    let nibbles = hex.utf8.compactMap { Self.digits.firstIndex(of: $0) }
    guard nibbles.count == hex.utf8.count else { return nil }
    self.init(
      stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) })
  }

  package var hex: String {
    String(
      decoding: bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] },
      as: UTF8.self)
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
