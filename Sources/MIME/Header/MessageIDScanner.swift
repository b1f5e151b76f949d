/// Walks through the identifiers of a field: `<…>`, with words and comments between them.
struct MessageIDScanner {
  struct Found {
    let text: String
  }

  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  private var isUnbalanced = false
  /// Whether anything but identifiers, commas, comments and blanks has come by.
  private(set) var hasOtherWords = false

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> Found? {
    while place < bytes.count {
      switch bytes[place] {
      case ASCII.less:
        if let text = takeID() { return Found(text: text) }
      case ASCII.openParenthesis:
        let end = isUnbalanced ? nil : bytes.commentEnd(from: place)
        isUnbalanced = end == nil
        hasOtherWords = hasOtherWords || end == nil
        place = end ?? place + 1
      case ASCII.comma, ASCII.semicolon, ASCII.greater: place += 1
      case let byte:
        if !ASCII.isBlank(byte), byte != 0 { hasOtherWords = true }
        place += 1
      }
    }
    return nil
  }

  /// msg-id = "<" id-left "@" id-right ">". A missing `>` is taken as read at the next `<` or, where
  /// no `>` comes, at the next blank.
  private mutating func takeID() -> String? {
    let start = place + 1
    var end = start
    var isQuoted = false
    while end < bytes.count, end - start <= MessageIDs.longest * 2 {
      let byte = bytes[end]
      if byte == ASCII.quote { isQuoted.toggle() }
      if byte == ASCII.less || (byte == ASCII.greater && !isQuoted) { break }
      if byte == ASCII.greater, !hasQuote(from: end + 1) { break }
      end += 1
    }
    let isClosed = end < bytes.count && bytes[end] == ASCII.greater
    place = isClosed ? end + 1 : end
    if !isClosed {
      end = bytes[start..<end].firstIndex { ASCII.isBlank($0) || $0 == ASCII.comma } ?? end
    }
    return Self.normalised(bytes.slice(start..<end))
  }

  /// Whether a quotation that is open at a `>` closes at all within this identifier.
  private func hasQuote(from start: Int) -> Bool {
    let end = min(bytes.count, start + 64)
    for place in start..<max(start, end) {
      if bytes[place] == ASCII.quote { return true }
      if bytes[place] == ASCII.less { return false }
    }
    return false
  }

  /// The words of a field that lacks the brackets.
  static func bareWords(_ value: UnsafeRawBufferPointer) -> [String] {
    let words = value.split(
      maxSplits: MessageIDs.most,
      whereSeparator: { byte in
        ASCII.isBlank(byte) || byte == ASCII.comma || byte == ASCII.less || byte == ASCII.greater
      })
    return words.prefix(MessageIDs.most).compactMap {
      normalised(UnsafeRawBufferPointer(rebasing: $0))
    }
  }

  /// Nil where nothing is left, or too much.
  private static func normalised(_ id: UnsafeRawBufferPointer) -> String? {
    guard id.contains(where: { $0 <= ASCII.space || $0 == ASCII.quote || $0 >= 0x7F }) else {
      return id.isEmpty || id.count > MessageIDs.longest ? nil : String(decoding: id, as: UTF8.self)
    }
    var bytes = id.filter { $0 > ASCII.space && $0 != 0x7F }
    unquoteLocalPart(&bytes)
    guard !bytes.isEmpty, bytes.count <= MessageIDs.longest else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unquoteLocalPart(_ id: inout [UInt8]) {
    guard id.first == ASCII.quote, let at = id.lastIndex(of: ASCII.at), at >= 3,
      id[at - 1] == ASCII.quote
    else { return }
    var local: [UInt8] = []
    var place = 1
    while place < at - 1 {
      if id[place] == ASCII.backslash, place + 1 < at - 1 { place += 1 }
      local.append(id[place])
      place += 1
    }
    guard local.allSatisfy(isAtomOrDot) else { return }
    id.replaceSubrange(..<at, with: local)
  }

  private static func isAtomOrDot(_ byte: UInt8) -> Bool {
    switch byte {
    case ASCII.quote, ASCII.openParenthesis, ASCII.closeParenthesis, ASCII.comma, ASCII.colon,
      ASCII.semicolon, ASCII.less, ASCII.greater, ASCII.at, ASCII.backslash,
      UInt8(ascii: "["), UInt8(ascii: "]"):
      false
    default: byte > ASCII.space && byte < 0x7F
    }
  }
}
