extension UnsafeRawBufferPointer {
  /// Whether these are the characters of a word, without case.
  func equals(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && begins(with: word)
  }

  /// - Parameter word: in lower case.
  func begins(with word: StaticString) -> Bool {
    guard count >= word.utf8CodeUnitCount else { return false }
    for place in 0..<word.utf8CodeUnitCount
    where ASCII.lowered(self[place]) != word.utf8Start[place] {
      return false
    }
    return true
  }

  /// Where a word is first, without case.
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
    while start < end, ASCII.isBlank(self[start]) { start += 1 }
    while end > start, ASCII.isBlank(self[end - 1]) { end -= 1 }
    return piece(start..<end)
  }

  /// FNV-1a in lower case.
  var nameHash: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in self { hash = (hash ^ UInt64(ASCII.lowered(byte))) &* 0x100_0000_01B3 }
    return hash
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}
