import MailCore

/// What a server said to an account's access tokens: whether another is worth a try.
struct TokenRefusals {
  private var refused: Set<Secret> = []
  /// The youngest.
  private(set) var last: Secret?
  /// One was refused, and none taken since.
  private var isUnderSuspicion = false
  /// Two different ones were refused in a row: it is not their age.
  private(set) var isHopeless = false

  func knows(_ token: Secret) -> Bool { refused.contains(token) }

  /// Whether to try with another token. Connections that held the same one learn of it one after the other: for all
  /// of them it is one refusal.
  mutating func note(_ token: Secret) -> Bool {
    if isHopeless { return false }
    guard refused.insert(token).inserted else { return true }
    last = token
    if isUnderSuspicion { isHopeless = true }
    isUnderSuspicion = true
    return !isHopeless
  }

  mutating func forgive() { isUnderSuspicion = false }
}
