/// How much of a message's text is looked at.
package struct TextLimits: Sendable, Hashable {
  /// Bytes of text in all, and of one part where a person reads it.
  package var text = 10 << 20
  /// Decoded bytes of one part's markup, which is several times as long as its text.
  package var markup = 32 << 20
  /// Encoded bytes of an attached text that still counts as text of the message.
  package var attachedText = 64 << 10
  /// Characters of the snippet.
  package var snippet = 100
  /// Encoded bytes of a `winmail.dat` or an encoded message that is opened to see what is in it.
  package var opened = 32 << 20

  package init() {}

  package static let standard = TextLimits()
}
