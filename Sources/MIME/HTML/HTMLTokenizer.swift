#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Cuts HTML into text and tags as browsers do (HTML Standard §13.2.5), in linear time whatever is left open.
struct HTMLTokenizer {
  enum Token {
    case text(Range<Int>)
    /// The name's hash (`NameHash`, lower case), and where its attributes stand.
    case start(UInt64, attributes: Range<Int>)
    case end(UInt64)
    /// A comment, declaration or processing instruction.
    case comment
  }

  let bytes: UnsafeRawBufferPointer
  private(set) var index = 0
  /// Set where no further such quote exists, so that no search for one is made twice.
  private var hasNoMoreQuotes = (double: false, single: false)

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> Token? {
    guard index < bytes.count else { return nil }
    if bytes[index] == ASCII.less, let token = readTag() { return token }
    let start = index
    // A `<` that opens no tag is text.
    index = find(ASCII.less, from: start + 1) ?? bytes.count
    return .text(start..<index)
  }

  /// Passes the line feed that may stand behind `<pre>`.
  mutating func skipLineFeed() {
    if index < bytes.count, bytes[index] == ASCII.cr { index += 1 }
    if index < bytes.count, bytes[index] == ASCII.lf { index += 1 }
  }

  /// Passes the content of an element that holds no markup, up to its end tag or the end of all.
  mutating func skipRaw(_ name: UInt64) {
    while let found = find(ASCII.less, from: index) {
      guard found + 1 < bytes.count, bytes[found + 1] == UInt8(ascii: "/") else {
        index = found + 1
        continue
      }
      let (hash, end) = nameEnd(from: found + 2)
      index = found + 2
      if hash == name {
        index = find(ASCII.greater, from: end).map { $0 + 1 } ?? bytes.count
        return
      }
    }
    index = bytes.count
  }

  /// Reads what begins with the `<` at `index`; nil, and nothing read, where that is text.
  private mutating func readTag() -> Token? {
    let next = index + 1
    guard next < bytes.count else { return nil }
    switch bytes[next] {
    case UInt8(ascii: "!"), ASCII.question:
      skipDeclaration()
      return .comment
    case UInt8(ascii: "/"):
      guard next + 1 < bytes.count else { return nil }
      if !ASCII.isLetter(bytes[next + 1]) {
        index = find(ASCII.greater, from: next).map { $0 + 1 } ?? bytes.count
        return .comment
      }
      let (hash, end) = nameEnd(from: next + 1)
      index = tagEnd(from: end).next
      return .end(hash)
    case let byte where ASCII.isLetter(byte):
      let (hash, end) = nameEnd(from: next)
      // `<someone@example.org>` is an address that nobody escaped.
      if bytes[next..<end].contains(ASCII.at) { return nil }
      let tag = tagEnd(from: end)
      index = tag.next
      return .start(hash, attributes: end..<tag.content)
    default: return nil
    }
  }

  /// The hash of the lower-case name at `start`, and its end.
  private func nameEnd(from start: Int) -> (UInt64, Int) {
    var hash = NameHash.start
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if byte <= ASCII.space || byte == ASCII.greater || byte == UInt8(ascii: "/") { break }
      hash = NameHash.mixed(hash, ASCII.lowered(byte))
      end += 1
    }
    return (hash, end)
  }

  /// Where the tag's attributes end, and what follows its `>`; a `>` in a quoted value does not count.
  private mutating func tagEnd(from start: Int) -> (content: Int, next: Int) {
    var index = start
    var isAfterEquals = false
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case ASCII.greater: return (index, index + 1)
      case ASCII.quote, UInt8(ascii: "'"):
        if isAfterEquals, let close = closingQuote(byte, from: index + 1) { index = close }
        isAfterEquals = false
      case ASCII.equals: isAfterEquals = true
      default: if byte > ASCII.space { isAfterEquals = false }
      }
      index += 1
    }
    return (index, index)
  }

  private mutating func closingQuote(_ quote: UInt8, from start: Int) -> Int? {
    let isDouble = quote == ASCII.quote
    if isDouble ? hasNoMoreQuotes.double : hasNoMoreQuotes.single { return nil }
    if let found = find(quote, from: start) { return found }
    if isDouble { hasNoMoreQuotes.double = true } else { hasNoMoreQuotes.single = true }
    return nil
  }

  /// Passes `<!-- … -->`, or anything else that begins with `<!` or `<?` up to the next `>`.
  private mutating func skipDeclaration() {
    guard bytes[index...].starts(with: "<!--".utf8) else {
      index = find(ASCII.greater, from: index).map { $0 + 1 } ?? bytes.count
      return
    }
    // `<!-->` and `<!--->` are whole comments; `--!>` ends one too.
    var search = index + 4
    while let close = find(ASCII.greater, from: search) {
      let isEnd =
        bytes[close - 1] == ASCII.dash && bytes[close - 2] == ASCII.dash
        || close >= index + 7 && bytes[close - 1] == UInt8(ascii: "!")
          && bytes[close - 2] == ASCII.dash && bytes[close - 3] == ASCII.dash
      if isEnd {
        index = close + 1
        return
      }
      search = close + 1
    }
    index = bytes.count
  }

  private func find(_ byte: UInt8, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(byte), bytes.count - start)
    else { return nil }
    return base.distance(to: UnsafeRawPointer(found))
  }
}

/// The attributes of a tag, one after another.
struct HTMLAttributes {
  let bytes: UnsafeRawBufferPointer
  private var index: Int
  private let end: Int

  init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
    self.bytes = bytes
    index = range.lowerBound
    end = range.upperBound
  }

  /// The next attribute: its name's hash, and its value without quotes, not yet decoded.
  mutating func next() -> (name: UInt64, value: Range<Int>)? {
    while index < end, bytes[index] <= ASCII.space || bytes[index] == UInt8(ascii: "/") {
      index += 1
    }
    guard index < end else { return nil }
    var hash = NameHash.start
    repeat {
      hash = NameHash.mixed(hash, ASCII.lowered(bytes[index]))
      index += 1
    } while index < end && bytes[index] > ASCII.space && bytes[index] != ASCII.equals
      && bytes[index] != UInt8(ascii: "/")
    skipBlanks()
    guard index < end, bytes[index] == ASCII.equals else { return (hash, index..<index) }
    index += 1
    skipBlanks()
    guard index < end else { return (hash, index..<index) }
    let quote = bytes[index]
    if quote == ASCII.quote || quote == UInt8(ascii: "'"),
      let close = bytes[(index + 1)..<end].firstIndex(of: quote)
    {
      let value = index + 1..<close
      index = close + 1
      return (hash, value)
    }
    let start = index
    while index < end, bytes[index] > ASCII.space { index += 1 }
    return (hash, start..<index)
  }

  private mutating func skipBlanks() {
    while index < end, bytes[index] <= ASCII.space { index += 1 }
  }
}
