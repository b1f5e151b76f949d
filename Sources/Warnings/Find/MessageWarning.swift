import SafeHTML

/// Something in a message that may fool its reader.
package struct MessageWarning: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case linkTextDiffers = "link-text-differs"
    case senderNameHoldsAddress = "sender-name-holds-address"
    case knownNameNewAddress = "known-name-new-address"
    case lookalikeDomain = "lookalike-domain"
    case replyToElsewhere = "reply-to-elsewhere"
    case authenticationFailed = "authentication-failed"
    case bodyChanged = "body-changed"
    case dangerousAttachment = "dangerous-attachment"
    case hiddenText = "hidden-text"
  }

  package var kind: Kind
  /// For a person; words of the message in it are as the message has them.
  package var sentence: Sentence

  package var text: String { sentence.text }

  package init(_ kind: Kind, _ sentence: Sentence) {
    self.kind = kind
    self.sentence = sentence
  }
}
