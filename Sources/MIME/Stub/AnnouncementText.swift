import MailCore

/// The text that stands in the place of a part that is not here, as mail readers hand it on: quoted, wrapped, as a page.
struct AnnouncementText: Equatable {
  /// The message that it names.
  let messageID: String?
  let isQuoted: Bool

  private static let beginning = Array("Not here: ".utf8)
  private static let remedy = Array("). Get it with: mirror fill ".utf8)
  /// From the one to the other: a name, a type and a size.
  private static let longest = 600

  /// Gets the message; nil where the text names none. It is made anew: what a text says is not repeated as a command.
  var command: String? { messageID.map { AbsentPart.command(messageID: $0) } }

  /// Whether it is the text of a message that is answered.
  func isOf(_ answered: [String]) -> Bool {
    messageID.map { answered.contains($0) } ?? !answered.isEmpty
  }

  static func find(in text: UnsafeRawBufferPointer, isHTML: Bool) -> [AnnouncementText] {
    guard contains("mirror", in: text) else { return [] }
    guard isHTML else { return find(in: text) }
    var plain: [UInt8] = []
    HTMLText.append(text, style: .show, limit: 1 << 30, into: &plain)
    return plain.withUnsafeBytes { find(in: $0) }
  }

  private static func find(in text: UnsafeRawBufferPointer) -> [AnnouncementText] {
    let (words, quoted) = unwrapped(text)
    var found: [AnnouncementText] = []
    var place = 0
    while let start = first(beginning, in: words, from: place) {
      place = start + beginning.count
      let end = min(words.count, place + longest)
      guard let verb = first(remedy, in: words[..<end], from: place) else { continue }
      let isQuoted = quoted.last { $0.start <= start }?.isQuoted ?? false
      found.append(
        AnnouncementText(messageID: id(words[(verb + remedy.count)...]), isQuoted: isQuoted))
      place = verb + remedy.count
    }
    return found
  }

  /// Of `id:42@example.org`, where that is an identifier without anything that a shell may take for more.
  private static func id(_ words: ArraySlice<UInt8>) -> String? {
    let word = words.drop { $0 == UInt8(ascii: "'") }
    guard word.starts(with: Array("id:".utf8)) else { return nil }
    let id = word.dropFirst(3).prefix { AbsentPart.isPlain($0) }
    let next = word.dropFirst(3 + id.count).first ?? ASCII.space
    // A mail reader marks links.
    let ends = Array(" '[<)".utf8)
    guard id.contains(UInt8(ascii: "@")), id.count <= 200, ends.contains(next) else { return nil }
    return String(decoding: id, as: UTF8.self)
  }

  /// Lines without their marks of quotation as one, with one blank between words; and where each line begins.
  private static func unwrapped(_ text: UnsafeRawBufferPointer) -> (
    words: [UInt8], lines: [(start: Int, isQuoted: Bool)]
  ) {
    var words: [UInt8] = []
    words.reserveCapacity(text.count)
    var lines: [(start: Int, isQuoted: Bool)] = []
    for line in text.split(separator: ASCII.lf) {
      let marks = line.prefix { isMark($0) }
      lines.append((words.count, marks.contains(UInt8(ascii: ">"))))
      for byte in line[marks.endIndex...] {
        let isBlank = byte <= ASCII.space
        if isBlank, words.last == ASCII.space { continue }
        words.append(isBlank ? ASCII.space : byte)
      }
      if words.last != ASCII.space { words.append(ASCII.space) }
    }
    return (words, lines)
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ">") || byte == UInt8(ascii: "|") || byte <= ASCII.space
  }

  private static func contains(_ word: String, in text: UnsafeRawBufferPointer) -> Bool {
    first(Array(word.utf8), in: text, from: 0) != nil
  }

  private static func first<Bytes: RandomAccessCollection>(
    _ wanted: [UInt8], in bytes: Bytes, from start: Int
  ) -> Int? where Bytes.Element == UInt8, Bytes.Index == Int {
    guard let letter = wanted.first else { return nil }
    var place = start
    while let found = bytes[place...].firstIndex(of: letter) {
      if bytes[found...].starts(with: wanted) { return found }
      place = found + 1
    }
    return nil
  }
}
