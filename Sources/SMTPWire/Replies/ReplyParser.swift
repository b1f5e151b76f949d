/// Cuts server bytes into replies. Owns no socket.
///
/// Lenient where servers are: bare line feeds, a code without text, no blank behind it, codes that
/// differ between the lines of one reply (the last counts, as it ends it).
package struct ReplyParser: Sendable {
  /// RFC 5321 §4.5.3.1.5 says 512; real ones are longer.
  static let maximumLine = 8 * 1024
  static let maximumReply = 128 * 1024

  private var buffer: [UInt8] = []
  private var start = 0
  private var scanned = 0
  private var lines: [String] = []
  private var size = 0
  private var enhanced: EnhancedStatus?

  package init() {}

  package mutating func feed(_ bytes: some Collection<UInt8>) {
    if start > 0, start == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      start = 0
      scanned = 0
    }
    buffer += bytes
  }

  /// Bytes that are no reply yet, or replies that nobody asked for: there must be none before TLS.
  package var buffered: Int { buffer.count - start + size }

  /// The next reply, or nil until more bytes are fed.
  package mutating func next() throws(ReplyError) -> Reply? {
    while let end = buffer[max(start, scanned)...].firstIndex(of: 0x0A) {
      var line = buffer[start..<end]
      while line.last == 0x0D { line.removeLast() }
      guard line.count <= Self.maximumLine else { throw .tooLong }
      let reply = try take(line)
      start = end + 1
      scanned = start
      compact()
      if let reply { return reply }
    }
    scanned = buffer.count
    guard buffer.count - start <= Self.maximumLine else { throw .tooLong }
    return nil
  }

  // Reply-line = Reply-code [ SP textstring ] CRLF / Reply-code "-" [ textstring ] CRLF, RFC 5321 §4.2
  private mutating func take(_ line: ArraySlice<UInt8>) throws(ReplyError) -> Reply? {
    guard let code = Self.code(line) else {
      throw .malformed(String(decoding: line.prefix(100), as: UTF8.self))
    }
    size += line.count + 2
    guard size <= Self.maximumReply else { throw .tooLong }
    var rest = line.dropFirst(3)
    let goesOn = rest.first == UInt8(ascii: "-")
    if goesOn || rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
    lines.append(textWithoutStatus(String(decoding: rest, as: UTF8.self), code))
    if goesOn { return nil }
    let reply = Reply(code: code, enhanced: enhanced, lines: lines)
    lines = []
    size = 0
    enhanced = nil
    return reply
  }

  private mutating func textWithoutStatus(_ text: String, _ code: Int) -> String {
    let word = text.prefix { $0 != " " }
    guard let status = EnhancedStatus(word), status.kind == code / 100 else { return text }
    enhanced = enhanced ?? status
    return String(text.dropFirst(word.count + 1))
  }

  private static func code(_ line: ArraySlice<UInt8>) -> Int? {
    let digits = line.prefix(3)
    guard digits.count == 3, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    let code = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    guard (200...599).contains(code) else { return nil }
    // A fourth digit, or a letter at once, makes it something else.
    if let next = line.dropFirst(3).first, next > 0x20, next != UInt8(ascii: "-") { return nil }
    return code
  }

  private mutating func compact() {
    guard start > 64 * 1024 else { return }
    buffer.removeSubrange(..<start)
    start = 0
    scanned = 0
  }
}
