/// Sets words and lines as a browser would: blanks collapse, blocks begin lines, padding vanishes.
struct TextLines {
  private(set) var text: [UInt8] = []
  private var pendingBlank = false
  private var pendingBreaks = 0
  /// A list's mark, due before the next word.
  private var pendingMark: [UInt8] = []
  /// A zero-width joiner: kept within a word, dropped beside a blank.
  private var pendingJoiner: [UInt8] = []
  private var isLineStart = true
  private var lastDepth = 0
  /// Levels of quotation, marked `> ` at each line.
  var quoteDepth = 0
  /// Blanks before each line.
  var indent = 0

  var isEmpty: Bool { text.isEmpty }

  mutating func lineBreak() { pendingBreaks = min(pendingBreaks + 1, 3) }

  /// Ends the line; with 2 an empty line follows.
  mutating func blockBreak(_ lines: Int) { pendingBreaks = max(pendingBreaks, lines) }

  mutating func blank() { pendingBlank = true }

  mutating func mark(_ mark: [UInt8]) { pendingMark = mark }

  mutating func word(_ bytes: some Collection<UInt8>) {
    guard !bytes.isEmpty else { return }
    beforeWord()
    text.append(contentsOf: bytes)
  }

  /// What belongs to the word before it: on its line, whatever breaks are due.
  mutating func append(_ bytes: some Collection<UInt8>) { text.append(contentsOf: bytes) }

  /// Text with its blanks and line ends as they are.
  mutating func verbatim(_ bytes: PageBytes) {
    for (number, line) in bytes.split(separator: ASCII.lf, omittingEmptySubsequences: false)
      .enumerated()
    {
      if number > 0 { lineBreak() }
      let line = line.filter { $0 != ASCII.cr }
      guard !line.isEmpty else { continue }
      pendingBlank = false
      word(line)
    }
  }

  /// Text whose blanks collapse.
  mutating func flow(_ bytes: PageBytes) {
    var place = 0
    var start = 0
    func isPlain(_ byte: UInt8) -> Bool {
      byte > ASCII.space && byte < 0x7F
        || byte >= 0xC3 && byte != 0xCD && byte != 0xE1 && byte != 0xE2 && byte != 0xEF
        || byte >= 0x80 && byte < 0xC0
    }
    while place < bytes.count {
      if isPlain(bytes[place]) {
        place += 1
        continue
      }
      word(bytes[start..<place])
      if ASCII.isBlank(bytes[place]) {
        blank()
        place += 1
      } else {
        place += special(bytes, at: place)
      }
      start = place
    }
    word(bytes[start..<place])
  }

  /// A character that may be a blank or nothing; returns its length.
  private mutating func special(_ bytes: PageBytes, at place: Int) -> Int {
    let lead = bytes[place]
    let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard place + length <= bytes.count else { return 1 }
    var value = length == 1 ? UInt32(lead) : UInt32(lead & (0x7F >> UInt8(length)))
    for byte in bytes[place..<place + length].dropFirst() {
      value = value << 6 | UInt32(byte & 0x3F)
    }
    switch value {
    case 0..<0x20, 0x7F: break
    case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x2800, 0x115F, 0x1160, 0xFFA0, 0x3164: blank()
    case 0x2028, 0x2029: lineBreak()
    // Soft hyphen, zero-width and direction marks: padding, or of no use outside a layout.
    case 0xAD, 0x34F, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF:
      break
    case 0x200C, 0x200D: pendingJoiner = Array(bytes[place..<place + length])
    default: word(bytes[place..<place + length])
    }
    return length
  }

  /// A block of lines that were set elsewhere.
  mutating func block(_ lines: [[UInt8]]) {
    blockBreak(1)
    for line in lines {
      word(line)
      blockBreak(1)
    }
  }

  private mutating func beforeWord() {
    if !text.isEmpty, pendingBreaks > 0 {
      // An empty line between two depths belongs to the lesser.
      for _ in 1..<max(1, pendingBreaks) {
        text.append(ASCII.lf)
        putQuoteMarks(min(lastDepth, quoteDepth))
      }
      text.append(ASCII.lf)
      isLineStart = true
    }
    if isLineStart {
      if quoteDepth > 0 {
        putQuoteMarks(quoteDepth)
        text.append(ASCII.space)
      }
      text.append(contentsOf: repeatElement(ASCII.space, count: min(indent, 40)))
      text.append(contentsOf: pendingMark)
      pendingMark = []
    } else if pendingBlank {
      text.append(ASCII.space)
    } else if !pendingJoiner.isEmpty {
      text.append(contentsOf: pendingJoiner)
    }
    lastDepth = quoteDepth
    pendingBreaks = 0
    pendingBlank = false
    pendingJoiner = []
    isLineStart = false
  }

  private mutating func putQuoteMarks(_ depth: Int) {
    text.append(contentsOf: repeatElement(ASCII.greater, count: min(depth, 50)))
  }
}
