/// The files inside a `winmail.dat` (MS-OXTNEF): names and places, nothing is interpreted further.
package enum TNEF {
  package struct File: Sendable, Equatable {
    package let name: String?
    /// Where its content lies.
    package let content: Range<Int>
  }

  private static let signature: UInt32 = 0x223E_9F78
  private static let mostFiles = 1000

  // MS-OXTNEF §2.1.3.2: type in the upper half, name in the lower.
  private enum Attribute {
    static let attachmentStart: UInt32 = 0x0006_9002
    static let title: UInt32 = 0x0001_8010
    static let content: UInt32 = 0x0006_800F
    static let properties: UInt32 = 0x0006_9005
  }

  /// Whether the bytes begin as TNEF does.
  package static func isTNEF(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 6 && value32(bytes, 0) == signature
  }

  /// Lists the files; what is damaged ends the list, the rest stands.
  package static func files(_ bytes: UnsafeRawBufferPointer) -> [File] {
    guard isTNEF(bytes) else { return [] }
    var files: [File] = []
    var title: String?
    var longName: String?
    var content: Range<Int>?
    func finish() {
      if let content { files.append(File(name: longName ?? title, content: content)) }
      (title, longName, content) = (nil, nil, nil)
    }
    var index = 6
    // Level (1), attribute (4), length (4), the data, checksum (2).
    while index + 9 <= bytes.count, files.count < mostFiles {
      let attribute = value32(bytes, index + 1)
      let length = Int(value32(bytes, index + 5))
      let start = index + 9
      guard length <= bytes.count - start else { break }
      let data = start..<start + length
      switch attribute {
      case Attribute.attachmentStart: finish()
      case Attribute.title: title = text8(bytes, data)
      case Attribute.content: content = data
      case Attribute.properties: longName = longFileName(bytes, data) ?? longName
      default: break
      }
      index = data.upperBound + 2
    }
    finish()
    return files
  }

  /// PR_ATTACH_LONG_FILENAME, else PR_DISPLAY_NAME, among MAPI properties (MS-OXTNEF §2.1.3.4).
  private static func longFileName(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String?
  {
    var reader = TNEFProperties(bytes, in: range)
    var displayName: String?
    while let (identifier, isWide, value) = reader.nextText() {
      let text = isWide ? text16(bytes, value) : text8(bytes, value)
      if identifier == 0x3707 { return text }
      if identifier == 0x3001 { displayName = text }
    }
    return displayName
  }

  private static func text8(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String? {
    var text: [UInt8] = []
    Charset.appendUTF8(UnsafeRawBufferPointer(rebasing: bytes[range]), label: nil, into: &text)
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  private static func text16(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String? {
    var text: [UInt8] = []
    Charset.appendUTF8(
      UnsafeRawBufferPointer(rebasing: bytes[range]), label: "utf-16le", into: &text)
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  static func value32(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
  }
}

/// Walks MAPI properties as TNEF stores them, and stops at the first it does not understand.
struct TNEFProperties {
  private let bytes: UnsafeRawBufferPointer
  private var index: Int
  private let end: Int
  private var left: Int

  init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
    self.bytes = bytes
    index = range.lowerBound + 4
    end = range.upperBound
    left = range.count >= 4 ? Int(TNEF.value32(bytes, range.lowerBound)) : 0
  }

  /// The next property that is text: its identifier, whether it is UTF-16, its value.
  mutating func nextText() -> (identifier: UInt32, isWide: Bool, value: Range<Int>)? {
    while left > 0, index + 4 <= end {
      left -= 1
      let tag = TNEF.value32(bytes, index)
      index += 4
      let identifier = tag >> 16
      if identifier >= 0x8000, !skipName() { return nil }
      guard let values = readValues(type: tag & 0xFFFF) else { return nil }
      let type = tag & 0x0FFF
      if type == 0x1E || type == 0x1F, let value = values {
        return (identifier, type == 0x1F, value)
      }
    }
    return nil
  }

  /// Passes the name of a named property: GUID (16), kind (4), then a number or a counted string.
  private mutating func skipName() -> Bool {
    guard index + 24 <= end else { return false }
    let isString = TNEF.value32(bytes, index + 16) == 1
    let length = Int(TNEF.value32(bytes, index + 20))
    index += 24
    guard isString else { return true }
    guard length <= end - index else { return false }
    index += (length + 3) & ~3
    return true
  }

  /// Passes a property's values. The outer nil means damage; the inner that it holds no bytes of interest.
  private mutating func readValues(type: UInt32) -> Range<Int>?? {
    let isMultiple = type & 0x1000 != 0
    let base = type & 0x0FFF
    let isVariable = base == 0x1E || base == 0x1F || base == 0x0D || base == 0x102
    var count = 1
    if isMultiple || isVariable {
      guard index + 4 <= end else { return nil }
      count = Int(TNEF.value32(bytes, index))
      index += 4
    }
    if isVariable {
      var first: Range<Int>?
      for _ in 0..<count {
        guard index + 4 <= end else { return nil }
        let length = Int(TNEF.value32(bytes, index))
        index += 4
        guard length <= end - index else { return nil }
        if first == nil { first = index..<index + length }
        index += (length + 3) & ~3
      }
      return .some(first)
    }
    let size: Int
    switch base {
    case 0x02, 0x03, 0x04, 0x0A, 0x0B: size = 4
    case 0x05, 0x06, 0x07, 0x14, 0x40: size = 8
    case 0x48: size = 16
    default: return nil
    }
    guard count <= (end - index) / size else { return nil }
    index += size * count
    return .some(nil)
  }
}
