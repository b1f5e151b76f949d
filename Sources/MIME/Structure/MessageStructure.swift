/// The parts of a message in document order, found in one pass over its bytes.
///
/// Parsing never fails: damage is told in ``defects``, and the rest is read. Time is linear in the
/// bytes, memory in the parts.
package struct MessageStructure: Sendable {
  /// `parts[0]` is the root; children follow their parent.
  package let parts: [MessagePart]
  package let defects: MIMEDefects

  /// Reads the structure of a whole message, with LF or CRLF line ends (RFC 2045, RFC 2046).
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, limits: MIMELimits = .standard
  ) -> MessageStructure {
    var parser = StructureParser(bytes: bytes, limits: limits)
    return parser.parse()
  }

  /// Indices of the parts directly below `part`.
  package func children(of part: Int) -> [Int] {
    var found: [Int] = []
    for index in (part + 1)..<max(parts.count, part + 1) {
      guard parts[index].depth > parts[part].depth else { break }
      if parts[index].parent == part { found.append(index) }
    }
    return found
  }

  /// The part around this one.
  func parent(of part: MessagePart) -> MessagePart? { part.parent.map { parts[$0] } }

  /// What raw bytes in the header are read as when they are no UTF-8: the charset of the first text
  /// part that names one of its own, else windows-1252.
  package func headerFallback(_ bytes: UnsafeRawBufferPointer) -> Charset {
    guard let root = parts.first else { return .windows1252 }
    let header = bytes.slice(root.header)
    guard UTF8Scan.asciiEnd(header) < header.count else { return .windows1252 }
    for part in parts.prefix(20) where part.type.media == "text" {
      guard let charset = part.type.charset.flatMap({ Charset(label: $0) }), charset != .utf8,
        charset != .windows1252
      else { continue }
      return charset
    }
    return .windows1252
  }
}
