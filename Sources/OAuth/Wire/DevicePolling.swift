/// When to ask again whether the person has entered the code (RFC 8628 §3.5). Knows no clock.
struct DevicePolling: Sendable {
  enum Step: Equatable {
    case wait(seconds: Int64)
    case end(OAuthError)
  }

  /// Seconds.
  private var interval: Int64
  private var left: Int64

  init(_ grant: DeviceGrant) {
    interval = grant.interval
    left = grant.lifetime
  }

  /// Before the first question.
  mutating func begin() -> Step { next() }

  mutating func refused(_ refusal: OAuthRefusal) -> Step {
    switch refusal.code {
    case "authorization_pending": return next()
    case "slow_down":
      interval += 5
      return next()
    case "expired_token": return .end(.codeExpired)
    default: return .end(OAuthError(refusal))
    }
  }

  /// No answer came: the RFC asks for twice the time.
  mutating func unanswered() -> Step {
    interval = max(interval, min(interval * 2, 300))
    return next()
  }

  private mutating func next() -> Step {
    guard left >= interval else { return .end(.codeExpired) }
    left -= interval
    return .wait(seconds: interval)
  }
}

extension OAuthError {
  /// Tells a program that is not known from a person who is not.
  init(_ refusal: OAuthRefusal) {
    switch refusal.code {
    case "invalid_client", "unauthorized_client", "invalid_scope", "unsupported_grant_type",
      "invalid_request", "unsupported_response_type":
      self = .clientRefused(refusal)
    default: self = .refused(refusal)
    }
  }
}
