#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A string's place within the bytes that a ``WireCursor`` walks over.
struct WireText {
  var start: Int
  var end: Int
  /// Holds backslash escapes that are yet to be resolved.
  var isEscaped = false
  var count: Int { end - start }
}

/// Walks over the bytes of one response whose literals are all present, without copying.
///
/// Functions return nil or false where the grammar does not fit; the caller then gives up on the
/// response. Offsets never leave `at...end`.
struct WireCursor {
  let base: UnsafePointer<UInt8>
  var at: Int
  let end: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    // An empty buffer may have no address; the cursor never reads at `end`.
    base =
      bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
    at = 0
    end = bytes.count
  }

  @inline(__always) var isAtEnd: Bool { at >= end }

  /// The byte ahead, or 0 at the end.
  @inline(__always) var next: UInt8 { at < end ? base[at] : 0 }

  @inline(__always) func byte(_ ahead: Int) -> UInt8 { at + ahead < end ? base[at + ahead] : 0 }

  @inline(__always) mutating func take(_ byte: UInt8) -> Bool {
    guard at < end, base[at] == byte else { return false }
    at += 1
    return true
  }

  /// Servers double spaces and add them at ends.
  @inline(__always) mutating func skipSpaces() {
    while at < end, base[at] == UInt8(ascii: " ") || base[at] == UInt8(ascii: "\t") { at += 1 }
  }

  /// Digits, saturating at `UInt64.max`; nil without any.
  @inline(__always) mutating func number() -> UInt64? {
    let start = at
    var value: UInt64 = 0
    while at < end {
      let digit = base[at] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = scaled.addingReportingOverflow(UInt64(digit))
      value = overflow || carry ? .max : sum
      at += 1
    }
    return at > start ? value : nil
  }

  /// A number that may be negative, quoted, in parentheses or NIL, as servers have sent them.
  ///
  /// `.some(nil)` is a number that says nothing: negative or NIL.
  mutating func lenientNumber() -> UInt64?? {
    switch next {
    case UInt8(ascii: "-"):
      at += 1
      return number() == nil ? .none : .some(nil)
    case UInt8(ascii: "\""):
      at += 1
      let value = lenientNumber()
      return take(UInt8(ascii: "\"")) ? value : .none
    case UInt8(ascii: "("):
      at += 1
      skipSpaces()
      let value = lenientNumber()
      skipSpaces()
      return take(UInt8(ascii: ")")) ? value : .none
    default:
      if takeWord("NIL") { return .some(nil) }
      guard let value = number() else { return .none }
      return .some(value)
    }
  }

  /// Consumes `word` if it stands ahead, in any case, and ends there.
  @inline(__always) mutating func takeWord(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard hasPrefix(word), Self.endsAtom(byte(count)) else { return false }
    at += count
    return true
  }

  /// Whether `word` (in capitals) stands ahead in any case, whatever follows.
  @inline(__always) func hasPrefix(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard end - at >= count else { return false }
    return Self.equal(base + at, word.utf8Start, count)
  }

  /// Whether the range spells `word` (in capitals), in any case.
  @inline(__always) func matches(_ text: WireText, _ word: StaticString) -> Bool {
    text.count == word.utf8CodeUnitCount
      && Self.equal(base + text.start, word.utf8Start, text.count)
  }

  @inline(__always) private static func equal(
    _ bytes: UnsafePointer<UInt8>, _ capitals: UnsafePointer<UInt8>, _ count: Int
  ) -> Bool {
    for i in 0..<count {
      var byte = bytes[i]
      if byte &- UInt8(ascii: "a") < 26 { byte &-= 32 }
      if byte != capitals[i] { return false }
    }
    return true
  }

  @inline(__always) static func endsAtom(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")")
  }

  /// Everything up to a space, a parenthesis or the end: wider than the grammar's atom, since
  /// servers put `[`, `]`, `%`, `\` and 8-bit bytes into atoms.
  @inline(__always) mutating func atom() -> WireText? {
    let start = at
    while at < end, !Self.endsAtom(base[at]) { at += 1 }
    return at > start ? WireText(start: start, end: at) : nil
  }

  /// An atom that also ends before `]`, for response codes.
  mutating func codeAtom() -> WireText? {
    let start = at
    while at < end, !Self.endsAtom(base[at]), base[at] != UInt8(ascii: "]") { at += 1 }
    return at > start ? WireText(start: start, end: at) : nil
  }

  // quoted = DQUOTE *QUOTED-CHAR DQUOTE, RFC 9051 §9; any byte but DQUOTE and the backslash counts.
  mutating func quoted() -> WireText? {
    guard next == UInt8(ascii: "\"") else { return nil }
    var text = WireText(start: at + 1, end: at + 1)
    var i = at + 1
    while i < end {
      switch base[i] {
      case UInt8(ascii: "\""):
        text.end = i
        at = i + 1
        return text
      case UInt8(ascii: "\\"):
        text.isEscaped = true
        i += 2
      default: i += 1
      }
    }
    return nil
  }

  // literal = "{" number64 ["+"] "}" CRLF *CHAR8; literal8 = "~" literal, RFC 9051 §9
  mutating func literal() -> WireText? {
    var ahead = self
    _ = ahead.take(UInt8(ascii: "~"))
    guard ahead.take(UInt8(ascii: "{")), let size = ahead.number() else { return nil }
    _ = ahead.take(UInt8(ascii: "+"))
    guard ahead.take(UInt8(ascii: "}")) else { return nil }
    _ = ahead.take(UInt8(ascii: "\r"))
    guard ahead.take(UInt8(ascii: "\n")), size <= UInt64(end - ahead.at) else { return nil }
    let text = WireText(start: ahead.at, end: ahead.at + Int(size))
    at = text.end
    return text
  }

  var isAtLiteral: Bool {
    next == UInt8(ascii: "{")
      || (next == UInt8(ascii: "~") && byte(1) == UInt8(ascii: "{"))
  }

  /// An atom, quoted string or literal (RFC 9051's astring, and its string).
  mutating func astring() -> WireText? {
    if next == UInt8(ascii: "\"") { return quoted() }
    if isAtLiteral, let text = literal() { return text }
    return atom()
  }

  /// A string or NIL; `.some(nil)` is NIL.
  mutating func nstring() -> WireText?? {
    if takeWord("NIL") { return .some(nil) }
    guard let text = astring() else { return .none }
    return .some(text)
  }

  /// Steps over one value of any shape: atom, string, literal or nested list.
  mutating func skipValue(nesting limit: Int = 64) -> Bool {
    var depth = 0
    repeat {
      skipSpaces()
      switch next {
      case UInt8(ascii: "("):
        depth += 1
        guard depth <= limit else { return false }
        at += 1
      case UInt8(ascii: ")"):
        guard depth > 0 else { return false }
        depth -= 1
        at += 1
      case UInt8(ascii: "\""):
        guard quoted() != nil else { return false }
      default:
        if isAtLiteral, literal() != nil { continue }
        guard atom() != nil else { return false }
      }
    } while depth > 0
    return true
  }

  func raw(_ text: WireText) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + text.start, count: text.count)
  }

  /// The string's bytes, escapes resolved.
  func bytes(_ text: WireText) -> [UInt8] {
    guard text.isEscaped else { return Array(raw(text)) }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var i = text.start
    while i < text.end {
      if base[i] == UInt8(ascii: "\\"), i + 1 < text.end { i += 1 }
      result.append(base[i])
      i += 1
    }
    return result
  }

  func string(_ text: WireText) -> String {
    text.isEscaped
      ? String(decoding: bytes(text), as: UTF8.self) : String(decoding: raw(text), as: UTF8.self)
  }

  /// What is left, without trailing blanks.
  func rest() -> WireText {
    var last = end
    while last > at, base[last - 1] == UInt8(ascii: " ") || base[last - 1] == UInt8(ascii: "\t") {
      last -= 1
    }
    return WireText(start: at, end: last)
  }
}
