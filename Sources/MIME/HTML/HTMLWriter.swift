/// Sets words and lines as a browser would: blanks collapse, blocks begin lines, padding vanishes.
struct HTMLWriter {
  private(set) var text: [UInt8]
  private let start: Int
  private var pendingSpace = false
  private var pendingBreaks = 0
  /// A list's mark, due before the next word.
  private var pendingMark: [UInt8] = []
  /// A zero-width joiner: kept within a word, dropped beside a blank.
  private var pendingJoiner: UInt32 = 0
  private var isLineStart = true
  /// Levels of quotation whose lines begin with `> `; stays 0 where quotes are not to be marked.
  var quoteDepth = 0
  var indent = 0
  /// The depth of the line before.
  private var lastDepth = 0

  init(appendingTo text: [UInt8]) {
    self.text = text
    start = text.count
  }

  var count: Int { text.count - start }

  /// Where the next word will stand, but for blanks before it.
  var position: Int { text.count }

  mutating func lineBreak() { pendingBreaks = min(pendingBreaks + 1, 3) }

  /// Ends the line; with 2 an empty line follows.
  mutating func blockBreak(_ lines: Int) { pendingBreaks = max(pendingBreaks, lines) }

  mutating func space() { pendingSpace = true }

  mutating func mark(_ mark: [UInt8]) { pendingMark = mark }

  mutating func word(_ bytes: UnsafeRawBufferPointer) {
    beforeWord()
    text.append(contentsOf: bytes)
  }

  mutating func word(_ bytes: [UInt8]) {
    beforeWord()
    text.append(contentsOf: bytes)
  }

  /// Writes one character, or what it stands for if it is a blank or nothing.
  mutating func scalar(_ value: UInt32) {
    switch value {
    case 0x20, 0x09...0x0D, 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x2800, 0x115F, 0x1160, 0xFFA0:
      space()
    case 0x2028, 0x2029: lineBreak()
    // Soft hyphen, zero-width and direction marks: padding, or of no use outside a layout.
    case 0xAD, 0x34F, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF:
      break
    case 0x200C, 0x200D: pendingJoiner = value
    default:
      beforeWord()
      text.appendScalar(value)
    }
  }

  /// Writes bytes of preformatted text, blanks included, without line breaks.
  mutating func verbatim(_ bytes: UnsafeRawBufferPointer) {
    pendingSpace = false
    beforeWord()
    text.append(contentsOf: bytes)
  }

  private mutating func beforeWord() {
    if count > 0, pendingBreaks > 0 {
      // An empty line between two depths belongs to the lesser.
      for _ in 1..<max(1, pendingBreaks) {
        text.append(ASCII.lf)
        appendQuoteMarks(min(lastDepth, quoteDepth))
      }
      text.append(ASCII.lf)
      isLineStart = true
    }
    if isLineStart, quoteDepth > 0 {
      appendQuoteMarks(quoteDepth)
      text.append(ASCII.space)
    }
    lastDepth = quoteDepth
    if isLineStart {
      text.append(contentsOf: repeatElement(ASCII.space, count: indent))
      text.append(contentsOf: pendingMark)
      pendingMark = []
    } else if pendingSpace {
      text.append(ASCII.space)
    } else if pendingJoiner != 0 {
      text.appendScalar(pendingJoiner)
    }
    pendingBreaks = 0
    pendingSpace = false
    pendingJoiner = 0
    isLineStart = false
  }

  private mutating func appendQuoteMarks(_ depth: Int) {
    text.append(contentsOf: repeatElement(ASCII.greater, count: min(depth, 50)))
  }
}
