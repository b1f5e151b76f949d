/// What stays of the name of a message's file when its keywords line is written anew: the base name without a
/// ``RewrittenName``'s mark, and without Dovecot's sizes, which change with the line.
///
/// mbsync's and offlineimap's UIDs stay: in a tree that these kept, two messages' names may differ in nothing else.
package struct MessageStem: Hashable, Sendable {
  private let bytes: [UInt8]

  package init(of base: some Collection<UInt8>) {
    let original = RewrittenName.original(of: Array(base))
    bytes = NameHints.withoutSizes(base: original) ?? original
  }
}

extension MessageFile {
  package var stem: MessageStem { MessageStem(of: base) }
}
