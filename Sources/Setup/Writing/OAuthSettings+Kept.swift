import Settings

/// What an account that is replaced keeps of its `oauth` table.
extension OAuthSettings {
  /// The keys that the set-up asks nothing of. They belong to the program that the provider knows: another one has
  /// another redirect, and what the commands hold must not reach another server.
  static let keysOfClient: Set<String> = [
    "revocation-url", "redirect-url", "store-command", "load-command",
  ]

  func isSameClient(as other: OAuthSettings) -> Bool {
    provider == other.provider && tokenURL == other.tokenURL && clientID == other.clientID
  }

  /// Takes what stands under ``keysOfClient``, where it is of the same program.
  mutating func keep(_ other: OAuthSettings) {
    guard isSameClient(as: other) else { return }
    (revocationURL, redirectURL) = (other.revocationURL, other.redirectURL)
    (storeCommand, loadCommand) = (other.storeCommand, other.loadCommand)
  }
}
