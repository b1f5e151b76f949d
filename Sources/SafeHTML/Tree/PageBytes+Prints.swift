extension UnsafeRawBufferPointer {
  /// Gives each word to `body` as a number that stands for it: of its letters and digits, without case.
  ///
  /// A word is what holds a letter or digit and no blank; all beyond ASCII but signs and blanks counts as letters.
  @inline(__always)
  func eachWord(_ body: (UInt32) -> Void) {
    var hash = Self.basis
    var isInWord = false
    var place = 0
    func end() {
      if isInWord { body(UInt32(truncatingIfNeeded: hash ^ hash >> 32)) }
      hash = Self.basis
      isInWord = false
    }
    while place < count {
      let byte = self[place]
      if byte < 0x80 {
        if ASCII.isLetter(byte) || ASCII.isDigit(byte) {
          hash = (hash ^ UInt64(ASCII.lowered(byte))) &* Self.prime
          isInWord = true
        } else if ASCII.isBlank(byte) {
          end()
        }
        place += 1
        continue
      }
      let length = Swift.min(byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4, count - place)
      switch kind(of: byte, at: place) {
      case .letter:
        for byte in self[place..<place + length] { hash = (hash ^ UInt64(byte)) &* Self.prime }
        isInWord = true
      case .blank: end()
      case .sign: break
      }
      place += length
    }
    end()
  }

  var wordCount: Int {
    var count = 0
    eachWord { _ in count += 1 }
    return count
  }

  private enum CharacterKind { case letter, sign, blank }

  /// Of one that begins with `lead`, beyond ASCII.
  private func kind(of lead: UInt8, at place: Int) -> CharacterKind {
    let second = place + 1 < count ? self[place + 1] : 0
    let third = place + 2 < count ? self[place + 2] : 0
    switch lead {
    case 0xC2: return second == 0xA0 ? .blank : .sign
    case 0xE2 where second == 0x80: return third <= 0x8A || third == 0xAF ? .blank : .sign
    case 0xE2 where second == 0x81: return third == 0x9F ? .blank : .sign
    case 0xE3 where second == 0x80: return third == 0x80 ? .blank : .letter
    case ..<0xC2, 0xCD, 0xE2, 0xEF: return .sign
    default: return .letter
    }
  }

  // FNV-1a
  private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01B3
}
