/// The text of an RTF document, fields among it, without groups and control words, which may stand in the midst of a word.
enum RTFText {
  /// Stands before what a field says, without the blanks it begins with.
  static let fieldStart: UInt8 = 1

  /// - Parameters:
  ///   - content: in lower case.
  ///   - keepsOptional: whether that stays, too, which programs leave out that do not know it: they differ in that.
  static func of(_ content: [UInt8], keepsOptional: Bool = true) -> [UInt8] {
    var text: [UInt8] = []
    var place = 0
    var depth = 0
    /// Of the outermost group that is left out.
    var left: Int?
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
      case 0x0A, 0x0D: continue
      case UInt8(ascii: "{"):
        depth += 1
        let group = content[place...]
        if !keepsOptional, left == nil, group.starts(with: "\\*".utf8),
          !group.starts(with: "\\*\\fldinst".utf8)
        {
          left = depth
        }
        continue
      case UInt8(ascii: "}"):
        if left == depth { left = nil }
        depth -= 1
        continue
      case _ where left != nil:
        // Of what is escaped neither is a bracket.
        if byte == UInt8(ascii: "\\") { place += 1 }
        continue
      case UInt8(ascii: "\\"): break
      default:
        if byte != 0x20 || text.last != fieldStart { text.append(byte) }
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
      } else {
        if content[word..<number].elementsEqual("fldinst".utf8) { text.append(fieldStart) }
        if place < content.count, content[place] == 0x20 { place += 1 }
      }
    }
    return text
  }
}
