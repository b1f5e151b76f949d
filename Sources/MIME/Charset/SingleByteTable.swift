import Synchronization

/// A charset of one byte a character as a table of 128 characters, made by iconv once.
enum SingleByteTable {
  private static let tables = Mutex<[String: [UInt32]]>([:])

  /// Appends the text; bytes without a character become U+FFFD. Returns whether there were none.
  static func append(
    _ bytes: UnsafeRawBufferPointer, charset: Charset, into text: inout [UInt8]
  ) -> Bool {
    var index = UTF8Scan.asciiEnd(bytes)
    text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<index]))
    guard index < bytes.count else { return true }
    let table = table(of: charset)
    var isExact = true
    while index < bytes.count {
      let byte = bytes[index]
      if byte &- 1 < 0x7F {
        let end = UTF8Scan.asciiEnd(bytes, from: index)
        text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[index..<end]))
        index = end
        continue
      }
      index += 1
      guard byte != 0 else { continue }
      let scalar = table[Int(byte) - 0x80]
      if scalar == 0xFFFD { isExact = false }
      text.appendScalar(scalar)
    }
    return isExact
  }

  private static func table(of charset: Charset) -> [UInt32] {
    if let table = tables.withLock({ $0[charset.name] }) { return table }
    let table = (UInt8(0x80)...0xFF).map { byte in
      var utf8: [UInt8] = []
      _ = withUnsafeBytes(of: byte) { Iconv.append($0, from: charset.iconvNames, into: &utf8) }
      let text = String(decoding: utf8, as: UTF8.self).unicodeScalars
      return text.count == 1 ? text.first?.value ?? 0xFFFD : 0xFFFD
    }
    tables.withLock { $0[charset.name] = table }
    return table
  }
}
