/// The parts of a message that are pages, whether a person reads these or the plain text beside them.
package enum PageParts {
  /// Hands over each page that `ReadableText.Pages.kept` keeps, in UTF-8, and reads nothing else of the message.
  package static func each(
    in bytes: UnsafeRawBufferPointer, _ structure: MessageStructure,
    limits: TextLimits = .standard, _ body: @escaping (UnsafeRawBufferPointer) -> Void
  ) {
    each(in: bytes, structure, limits, depth: 0, body)
  }

  private static func each(
    in bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, _ limits: TextLimits,
    depth: Int, _ body: @escaping (UnsafeRawBufferPointer) -> Void
  ) {
    let selection = TextSelection(bytes, structure, prefersHTML: true, for: .show, limits: limits)
    for (part, role) in zip(structure.parts, selection.roles) {
      PartText.page(part, role, in: bytes, limits: limits, body)
      if depth < EncodedMessage.deepest, EncodedMessage.isOne(part, limits: limits) {
        EncodedMessage.open(part, in: bytes) { inner, structure in
          each(in: inner, structure, limits, depth: depth + 1, body)
        }
      }
    }
  }
}
