extension IMAPError {
  /// Tells a wrong password from a server that is busy (RFC 5530).
  ///
  /// - Parameter said: what the SASL mechanism itself told, such as OAuth's JSON.
  init(loginRefusedWith result: TaggedResult, said: String?) {
    let words = [result.text, said].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "; ")
    if let throttle = result.throttle {
      self = .throttled(seconds: throttle.seconds, words)
      return
    }
    switch result.code {
    case .unavailable, .inUse, .limit, .serverBug, .overQuota:
      self = .loginUnavailable(words)
    case .authenticationFailed, .authorizationFailed, .expired, .privacyRequired, .contactAdmin:
      self = .loginRefused(words, hasCode: true)
    default:
      self = TaggedResult.soundsPassing(words) ? .loginUnavailable(words) : .loginRefused(words)
    }
  }
}
