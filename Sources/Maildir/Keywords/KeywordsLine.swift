import MailCore

/// The one header line at the very top of a message file that carries its keywords: `X-Keywords: a,
/// b`.
///
/// One physical line, never folded, UTF-8. Inside a keyword `%`, `,`, controls, and spaces at
/// either end are percent-encoded. A file has this line exactly when it has keywords, or when the
/// server's own bytes begin with a field of that name, or of a ``StubLine``'s; so a first line of either
/// name is always ours, and taking it away gives the server's bytes.
package struct KeywordsLine: Sendable, Hashable {
  /// Field name as it is written; compared without case.
  package let name: String
  private let folded: [UInt8]

  /// Nil unless the name is a field name (RFC 5322 §3.6.8: printable ASCII without colon).
  package init?(name: String) {
    guard !name.isEmpty, name.utf8.count <= 64,
      name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") })
    else { return nil }
    self.name = name
    folded = name.utf8.map(ASCII.lowered)
  }

  private init(known name: String) {
    self.name = name
    folded = name.utf8.map(ASCII.lowered)
  }

  package static let xKeywords = KeywordsLine(known: "X-Keywords")
  package static let keywords = KeywordsLine(known: "Keywords")

  /// Whether the bytes begin with a field of our name: in a file, whether the first line is ours.
  package func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > folded.count else { return false }
    for (place, letter) in folded.enumerated() where ASCII.lowered(bytes[place]) != letter {
      return false
    }
    // RFC 5322 §4.5.3: old mail may have white space before the colon. Bounded, so that every
    // reader of the file sees the same in its first block.
    for byte in bytes[folded.count...].prefix(16) where byte != ASCII.space && byte != ASCII.tab {
      return byte == UInt8(ascii: ":")
    }
    return false
  }

  /// The line in front of a message whose server bytes begin with `head`; empty where there is to
  /// be none.
  package func line(
    for keywords: Keywords, before head: UnsafeRawBufferPointer, ending: LineEndings
  )
    -> [UInt8]
  {
    guard !keywords.isEmpty || begins(head) || StubLine.isNamed(atStartOf: head) else { return [] }
    var line = Array(name.utf8)
    line.append(UInt8(ascii: ":"))
    var isFirst = true
    for keyword in keywords {
      if !isFirst { line.append(UInt8(ascii: ",")) }
      isFirst = false
      line.append(ASCII.space)
      KeywordText.encode(keyword, into: &line)
    }
    if ending == .crlf { line.append(ASCII.cr) }
    line.append(ASCII.lf)
    return line
  }

  /// The keywords in a line of ours, or nil when the bytes don't begin with one. Values that
  /// another program wrote (folded elsewhere, repeated commas, a lone `%`) are taken as they come.
  package func decode(_ bytes: UnsafeRawBufferPointer) -> Keywords? {
    guard begins(bytes) else { return nil }
    let line = bytes[..<(bytes.firstIndex(of: ASCII.lf) ?? bytes.endIndex)]
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return KeywordText.list(line[(colon + 1)...])
  }

  /// How many bytes at the front are ours, with the line's end; nil while the end of a line of ours
  /// is not in sight.
  package func length(atStartOf bytes: UnsafeRawBufferPointer) -> Int? {
    guard begins(bytes) else { return 0 }
    return bytes.firstIndex(of: ASCII.lf).map { $0 + 1 }
  }
}
