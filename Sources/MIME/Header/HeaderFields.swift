/// The fields of one header block, found once; names are told apart without case.
package struct HeaderFields: Sendable {
  /// A field: byte offsets into the message.
  package struct Field: Sendable, Hashable {
    package let kind: FieldKind
    /// Without the colon and blanks before it.
    package let name: Range<Int>
    /// Behind the colon, folded as written, blanks and line breaks at both ends left out.
    package let value: Range<Int>
  }

  package private(set) var fields: [Field] = []
  package private(set) var defects: MIMEDefects = []
  /// The header block with the blank line that ends it: the body starts at its upper bound.
  package let block: Range<Int>

  /// Reads the header block at the start of `range`, up to its blank line (RFC 5322 §2.2).
  package init(
    _ bytes: UnsafeRawBufferPointer, in range: Range<Int>, limits: MIMELimits = .standard
  ) {
    var scanner = HeaderScanner(bytes, in: range, limits: limits)
    while let field = scanner.next() { fields.append(field) }
    defects = scanner.defects
    block = range.lowerBound..<scanner.end
  }

  package func first(_ kind: FieldKind) -> Range<Int>? {
    fields.first { $0.kind == kind }?.value
  }

  package func all(_ kind: FieldKind) -> [Range<Int>] {
    fields.compactMap { $0.kind == kind ? $0.value : nil }
  }
}
