/// Bytes that pages and addresses are made of.
enum Letter {
  static let tab: UInt8 = 0x09
  static let lf: UInt8 = 0x0A
  static let cr: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote: UInt8 = 0x22
  static let number: UInt8 = 0x23
  static let percent: UInt8 = 0x25
  static let apostrophe: UInt8 = 0x27
  static let open: UInt8 = 0x28
  static let close: UInt8 = 0x29
  static let comma: UInt8 = 0x2C
  static let dash: UInt8 = 0x2D
  static let dot: UInt8 = 0x2E
  static let slash: UInt8 = 0x2F
  static let colon: UInt8 = 0x3A
  static let semicolon: UInt8 = 0x3B
  static let less: UInt8 = 0x3C
  static let greater: UInt8 = 0x3E
  static let question: UInt8 = 0x3F
  static let at: UInt8 = 0x40

  @inline(__always) static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- 65 < 26 ? byte | 0x20 : byte
  }

  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

  @inline(__always) static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }

  @inline(__always) static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte &- 9 < 5
  }

  @inline(__always) static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- 48 }
    let letter = lowered(byte) &- 97
    return letter < 6 ? letter &+ 10 : nil
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these are the letters of a word, without case.
  func equals(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && begins(with: word)
  }

  /// - Parameter word: in lower case.
  func begins(with word: StaticString) -> Bool {
    guard count >= word.utf8CodeUnitCount else { return false }
    for place in 0..<word.utf8CodeUnitCount
    where Letter.lowered(self[place]) != word.utf8Start[place] {
      return false
    }
    return true
  }

  /// Where a word stands first, without case.
  func firstRange(of word: StaticString, from start: Int = 0) -> Range<Int>? {
    let length = word.utf8CodeUnitCount
    guard count - start >= length else { return nil }
    for place in start...(count - length) where piece(place..<count).begins(with: word) {
      return place..<place + length
    }
    return nil
  }

  func contains(word: StaticString) -> Bool { firstRange(of: word) != nil }

  func piece(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[range])
  }

  /// Without blanks at both ends.
  var trimmed: UnsafeRawBufferPointer {
    var start = 0
    var end = count
    while start < end, Letter.isBlank(self[start]) { start += 1 }
    while end > start, Letter.isBlank(self[end - 1]) { end -= 1 }
    return piece(start..<end)
  }

  /// FNV-1a of the lower-case letters.
  var nameHash: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in self { hash = (hash ^ UInt64(Letter.lowered(byte))) &* 0x100_0000_01B3 }
    return hash
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}
