/// Reads an address list (RFC 5322 §3.4, §4.4) in one pass.
struct AddressParser {
  private let bytes: UnsafeRawBufferPointer
  private let limit: Int
  private let fallback: Charset
  private var finder: EncodedWordFinder
  private var place = 0
  private var found: [MailAddress] = []
  private var entry = Entry()
  private var group: String?
  private var groupStart = 0
  /// What never closes once is taken as a letter from then on.
  private var isUnbalanced = false
  private var isUnquoted = false

  /// What has been read of one address.
  private struct Entry {
    /// The words before the bracket, quotes taken off, one blank between them.
    var phrase: [UInt8] = []
    var needsBlank = false
    /// The words as an address is written, a NUL between them: quotes kept, blanks around `@` and
    /// `.` gone.
    var spec: [UInt8] = []
    var bracket: [UInt8]?
    var comment: Range<Int>?
  }

  init(_ bytes: UnsafeRawBufferPointer, limit: Int, fallback: Charset) {
    self.fallback = fallback
    self.bytes = bytes
    self.limit = limit
    finder = EncodedWordFinder(bytes)
  }

  mutating func parse() -> [MailAddress] {
    while place < bytes.count, found.count < limit {
      switch bytes[place] {
      case ASCII.comma:
        finishEntry()
        place += 1
      case ASCII.semicolon:
        finishEntry()
        finishGroup()
        place += 1
      case ASCII.colon: takeColon()
      case ASCII.less: takeBracket()
      case ASCII.greater: place += 1
      case ASCII.quote: takeQuoted()
      case ASCII.openParenthesis: takeComment()
      case let byte where ASCII.isBlank(byte) || byte == 0:
        entry.needsBlank = true
        place += 1
      default: takeWord()
      }
    }
    if found.count < limit {
      finishEntry()
      finishGroup()
    }
    return found
  }

  // MARK: Ends

  private mutating func finishEntry() {
    defer { entry = Entry() }
    if let bracket = entry.bracket {
      add(name: text(entry.phrase[...]), address: bracket[...])
      return
    }
    // Without brackets: the word with the `@`, or the only word; the words around it are a name.
    let words = entry.spec.split(separator: 0)
    let addresses = words.filter { $0.contains(ASCII.at) }
    if addresses.count > 1 {
      for address in addresses where found.count < limit { add(name: "", address: address) }
    } else if let address = addresses.first ?? (words.count == 1 ? Self.plain(words[0]) : nil) {
      let others = words.filter { $0.startIndex != address.startIndex }
      let name = others.joined(separator: [ASCII.space]).filter { $0 != ASCII.quote }
      add(name: text(name[...]), address: address)
    } else {
      add(name: text(entry.phrase[...]), address: [])
    }
  }

  /// No encoded word is an address (RFC 2047 §5): what it says is a name, whatever it looks like.
  private static func plain(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    word.starts(with: "=?".utf8) ? nil : word
  }

  private mutating func add(name: String, address: ArraySlice<UInt8>) {
    guard !name.isEmpty || !address.isEmpty else { return }
    var name = name
    if name.isEmpty, let comment = entry.comment { name = self.comment(comment) }
    found.append(MailAddress(name: name, address: text(address), group: group))
  }

  private mutating func takeColon() {
    let colon = bytes.slice(place..<place + 1)
    place += 1
    // Address literals have colons too: user@[IPv6:2001:db8::1].
    guard entry.bracket == nil, group == nil, !entry.spec.contains(ASCII.at) else {
      addToSpec(colon)
      return
    }
    let name = text(entry.phrase[...])
    entry = Entry()
    // A link where an address should be.
    guard name.lowercased() != "mailto" else { return }
    group = name
    groupStart = found.count
  }

  private mutating func finishGroup() {
    guard let name = group else { return }
    if found.count == groupStart { found.append(MailAddress(name: "", address: "", group: name)) }
    group = nil
  }

  // MARK: Pieces

  /// A run of letters, or an encoded word with whatever is in it.
  private mutating func takeWord() {
    let start = place
    while place < bytes.count, !Self.isSpecial(bytes[place]) {
      if bytes[place] == ASCII.equals, let word = finder.word(at: place) {
        place = word.range.upperBound
      } else {
        place += 1
      }
    }
    if place == start { place += 1 }
    addToPhrase(bytes.slice(start..<place))
    addToSpec(bytes.slice(start..<place))
    entry.needsBlank = false
  }

  private mutating func takeQuoted() {
    guard !isUnquoted, let end = quoteEnd() else {
      isUnquoted = true
      place += 1
      return
    }
    addToSpec(bytes.slice(place..<end))
    var unquoted: [UInt8] = []
    var index = place + 1
    while index < end - 1 {
      if bytes[index] == ASCII.backslash, index + 1 < end - 1 { index += 1 }
      unquoted.append(bytes[index])
      index += 1
    }
    unquoted.withUnsafeBytes { addToPhrase($0) }
    entry.needsBlank = false
    place = end
  }

  /// Behind the quoted-string (RFC 5322 §3.2.4) that opens here.
  private func quoteEnd() -> Int? {
    var index = place + 1
    while index < bytes.count {
      if bytes[index] == ASCII.quote { return index + 1 }
      index += bytes[index] == ASCII.backslash ? 2 : 1
    }
    return nil
  }

  private mutating func takeComment() {
    let start = place
    guard skipComment() else {
      addToPhrase(bytes.slice(start..<start + 1))
      entry.needsBlank = false
      place += 1
      return
    }
    if place > start + 2 { entry.comment = start + 1..<place - 1 }
    entry.needsBlank = true
  }

  /// angle-addr = "<" [obs-route] addr-spec ">"
  private mutating func takeBracket() {
    // A second bracket without a comma between.
    if entry.bracket != nil { finishEntry() }
    place += 1
    var address: [UInt8] = []
    var isQuoted = false
    while place < bytes.count {
      let byte = bytes[place]
      if isQuoted, byte == ASCII.backslash, place + 1 < bytes.count {
        address.append(byte)
        place += 1
      } else if byte == ASCII.quote {
        isQuoted.toggle()
      } else if !isQuoted {
        if endsBracket(byte, after: address) { break }
        if byte == ASCII.openParenthesis, skipComment() { continue }
        if ASCII.isBlank(byte) {
          place += 1
          continue
        }
      }
      address.append(bytes[place])
      place += 1
    }
    if place < bytes.count, bytes[place] == ASCII.greater { place += 1 }
    entry.bracket = Self.withoutRoute(address)
  }

  /// `>`, or what tells that none comes: the next bracket, or a comma behind a whole address.
  private func endsBracket(_ byte: UInt8, after address: [UInt8]) -> Bool {
    switch byte {
    case ASCII.greater, ASCII.less: true
    case ASCII.comma: address.first.map { $0 != ASCII.at } ?? true
    default: false
    }
  }

  private mutating func skipComment() -> Bool {
    guard !isUnbalanced else { return false }
    guard let end = bytes.commentEnd(from: place) else {
      isUnbalanced = true
      return false
    }
    place = end
    return true
  }

  private static func withoutRoute(_ address: [UInt8]) -> [UInt8] {
    guard address.first == ASCII.at, let colon = address.firstIndex(of: ASCII.colon) else {
      return address
    }
    return Array(address[(colon + 1)...])
  }

  private mutating func addToPhrase(_ word: UnsafeRawBufferPointer) {
    // A word behind the bracket begins no new address: `<a@b> junk`.
    guard entry.bracket == nil else { return }
    if entry.needsBlank, !entry.phrase.isEmpty { entry.phrase.append(ASCII.space) }
    entry.phrase.append(contentsOf: word)
  }

  /// Blanks around `@` and `.` are obsolete syntax (RFC 5322 §4.4); elsewhere they part words.
  private mutating func addToSpec(_ word: UnsafeRawBufferPointer) {
    guard entry.bracket == nil else { return }
    if entry.needsBlank, let last = entry.spec.last, last != ASCII.at, last != ASCII.dot,
      let first = word.first, first != ASCII.at, first != ASCII.dot
    {
      entry.spec.append(0)
    }
    entry.spec.append(contentsOf: word.lazy.filter { $0 != 0 })
  }

  // MARK: Text

  private func text(_ phrase: ArraySlice<UInt8>) -> String {
    phrase.withUnsafeBytes { HeaderText.decode($0, fallback: fallback) }
  }

  private func comment(_ range: Range<Int>) -> String {
    var unescaped: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      if bytes[index] == ASCII.backslash, index + 1 < range.upperBound { index += 1 }
      unescaped.append(bytes[index])
      index += 1
    }
    return text(unescaped[...])
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case ASCII.comma, ASCII.semicolon, ASCII.colon, ASCII.less, ASCII.greater, ASCII.quote,
      ASCII.openParenthesis, 0:
      true
    default: ASCII.isBlank(byte)
    }
  }
}
