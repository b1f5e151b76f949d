/// What stays of the name of a message's file, whoever renames it: the base name without a ``RewrittenName``'s mark, and
/// without other programs' fields. Their sizes change with the keywords line, and their UIDs go where a file is moved.
package struct MessageStem: Hashable, Sendable {
  private let bytes: [UInt8]

  package init(of base: some Collection<UInt8>) { bytes = RewrittenName(Array(base)).stem }
}

extension MessageFile {
  package var stem: MessageStem { MessageStem(of: base) }
}
