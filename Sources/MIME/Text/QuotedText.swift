/// Tells in a text what its writer wrote from what was quoted and from the signature.
///
/// Quoted is: lines that begin with `>`, with the “On … wrote:” before them; all below an Outlook separator
/// (“-----Original Message-----”) or header block (“From: … Sent: …”), or below “On … wrote:” without marks. What was
/// forwarded is the message itself and stays text, and so does anything if nothing else would be left.
package enum QuotedText {
  package enum Kind: Sendable, Equatable {
    case text, signature
    case quoted(depth: Int)
  }

  package struct Block: Sendable, Equatable {
    package let kind: Kind
    /// Bytes of the text, whole lines.
    package let range: Range<Int>
  }

  /// Divides a text (UTF-8, LF or CRLF line ends) into blocks that follow one another without gaps.
  package static func blocks(_ text: UnsafeRawBufferPointer) -> [Block] {
    var lines = QuoteLines(text)
    let found = lines.blocks()
    let hasOwnText = found.contains { block in
      block.kind == .text && text[block.range].contains { $0 > ASCII.space }
    }
    if hasOwnText { return found }
    // Nothing of one's own: what is quoted without marks is what the message is about.
    return found.map { block in
      block.kind == .quoted(depth: 1) && block.range.lowerBound >= lines.unmarkedStart
        ? Block(kind: .text, range: block.range) : block
    }
  }
}
