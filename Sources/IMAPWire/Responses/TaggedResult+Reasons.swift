import MailCore

extension TaggedResult {
  /// Whether the server says, or lets guess, that the refusal may pass.
  package var isTransient: Bool {
    switch code {
    case .unavailable, .inUse, .limit, .serverBug, .throttled: true
    case nil: status != .ok && (throttle != nil || Self.soundsPassing(text))
    default: throttle != nil
    }
  }

  /// Whether the mailbox that the command named is not there: by code (RFC 5530), or by the words that
  /// servers without it use.
  package var saysNoSuchMailbox: Bool {
    guard status == .no else { return false }
    switch code {
    case .nonExistent, .tryCreate: return true
    case nil:
      let words = Keywords.fold(String(text.prefix(300)))
      return [
        "does not exist", "doesn't exist", "no such mailbox", "no such folder", "unknown mailbox",
        "mailbox not found", "folder not found", "non-existent",
      ].contains { words.contains($0) }
    default: return false
    }
  }

  /// Whether words without a code (RFC 5530 is not everywhere) tell of something that passes.
  static func soundsPassing(_ words: String) -> Bool {
    let folded = Keywords.fold(String(words.prefix(500)))
    if passing.contains(where: { folded.contains($0) }) { return true }
    // Cyrus: "Too many open connections (2 of 2 for x)". Who has tried too often may have the wrong password.
    return folded.contains("too many")
      && ["connection", "session"].contains { folded.contains($0) }
      && !folded.contains("attempt")
  }

  /// The third is Exchange with its mailbox store away.
  private static let passing = [
    "server unavailable", "temporar", "user is authenticated but not connected",
    "too many simultaneous", "maximum number of connections",
    "service not available", "internal error", "try again later",
  ]
}
