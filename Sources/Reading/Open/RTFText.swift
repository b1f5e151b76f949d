/// The text of an RTF document, fields among it, without groups and control words, which may stand in the midst of a word.
enum RTFText {
  /// - Parameter content: in lower case.
  static func of(_ content: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var place = 0
    func hex(_ byte: UInt8) -> UInt8? {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    func isLetter(_ byte: UInt8) -> Bool { byte &- 97 < 26 }
    func isNumber(_ byte: UInt8) -> Bool { byte &- 48 < 10 || byte == UInt8(ascii: "-") }
    while place < content.count {
      let byte = content[place]
      place += 1
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "}"), 0x0A, 0x0D: continue
      case UInt8(ascii: "\\"): break
      default:
        text.append(byte)
        continue
      }
      guard place < content.count else { break }
      if content[place] == UInt8(ascii: "'"), place + 2 < content.count,
        let high = hex(content[place + 1]), let low = hex(content[place + 2])
      {
        let byte = high << 4 | low
        text.append(byte &- 65 < 26 ? byte | 0x20 : byte)
        place += 3
        continue
      }
      let word = place
      while place < content.count, isLetter(content[place]) { place += 1 }
      if place == word {
        place += 1
        continue
      }
      let number = place
      while place < content.count, isNumber(content[place]) { place += 1 }
      if content[word..<number].elementsEqual("u".utf8),
        let value = Int(String(decoding: content[number..<place], as: UTF8.self)),
        (32..<127).contains(value)
      {
        text.append(UInt8(value) &- 65 < 26 ? UInt8(value) | 0x20 : UInt8(value))
        // What stands for it in old programs.
        if place < content.count, content[place] != UInt8(ascii: "\\") { place += 1 }
      } else if place < content.count, content[place] == 0x20 {
        place += 1
      }
    }
    return text
  }
}
