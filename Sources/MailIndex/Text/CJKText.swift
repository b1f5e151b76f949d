/// Scripts that write no blanks between words: their runs go into the index as overlapping pairs of
/// characters, so that any two neighbours are found ("日本語" becomes "日本 本語 語"; one character
/// is found by a prefix).
package enum CJKText {
  /// Whether runs of this character are cut into pairs: Han, Kana, Bopomofo, Hangul, Yi, and their
  /// half- and full-width and compatibility forms.
  package static func isCut(_ scalar: UInt32) -> Bool {
    if scalar < 0x1100 { return false }
    switch scalar {
    case 0x1100...0x11FF,  // Hangul Jamo
      0x2E80...0x2FD5,  // radicals
      0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3038...0x303C,
      0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF,
      0x3105...0x312F, 0x3131...0x318E, 0x31A0...0x31BF, 0x31F0...0x31FF,
      0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA48C, 0xA960...0xA97C,
      0xAC00...0xD7FB, 0xF900...0xFAD9, 0xFF66...0xFFDC, 0x1AFF0...0x1B2FB, 0x20000...0x323AF:
      return true
    default: return false
    }
  }

  /// Appends UTF-8 text in the form the index holds. `bytes` must be valid UTF-8.
  package static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    var rest = bytes
    while !rest.isEmpty {
      let plain = rest.firstIndex { $0 >= 0xE1 } ?? rest.count
      text.append(contentsOf: rest[..<plain])
      rest = UnsafeRawBufferPointer(rebasing: rest[plain...])
      if rest.isEmpty { return }
      let run = runLength(rest)
      if run == 0 {
        let length = min(scalar(rest).length, rest.count)
        text.append(contentsOf: rest[..<length])
        rest = UnsafeRawBufferPointer(rebasing: rest[length...])
      } else {
        appendPairs(UnsafeRawBufferPointer(rebasing: rest[..<run]), to: &text)
        rest = UnsafeRawBufferPointer(rebasing: rest[run...])
      }
    }
  }

  package static func indexed(_ text: String) -> [UInt8] {
    var text = text
    var result: [UInt8] = []
    text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &result) }
    return result
  }

  /// Bytes of the run of cut characters that the text begins with.
  private static func runLength(_ text: UnsafeRawBufferPointer) -> Int {
    var place = 0
    while place < text.count {
      let next = scalar(UnsafeRawBufferPointer(rebasing: text[place...]))
      if !isCut(next.value) { break }
      place += next.length
    }
    return min(place, text.count)
  }

  /// Each character with the one behind it, and the last alone.
  private static func appendPairs(_ run: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    text.append(0x20)
    var place = 0
    while place < run.count {
      let first = scalar(UnsafeRawBufferPointer(rebasing: run[place...])).length
      let next = min(place + first, run.count)
      let second =
        next < run.count ? scalar(UnsafeRawBufferPointer(rebasing: run[next...])).length : 0
      text.append(contentsOf: run[place..<min(next + second, run.count)])
      text.append(0x20)
      place = next
    }
  }

  /// The scalar at the front, and its length; 0 and 1 for what is no lead byte of three or four.
  private static func scalar(_ text: UnsafeRawBufferPointer) -> (value: UInt32, length: Int) {
    guard let lead = text.first else { return (0, 1) }
    func tail(_ index: Int) -> UInt32 { UInt32(text[index] & 0x3F) }
    if lead >= 0xF0, text.count >= 4 {
      return (UInt32(lead & 7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4)
    }
    if lead >= 0xE0, lead < 0xF0, text.count >= 3 {
      return (UInt32(lead & 0xF) << 12 | tail(1) << 6 | tail(2), 3)
    }
    return (0, lead >= 0xC0 && lead < 0xE0 && text.count >= 2 ? 2 : 1)
  }
}
