/// The reasons that cases of the error tell, where they are words of ours.
extension OAuthError {
  // MARK: The server is not reached

  static func notEncrypted(host: String) -> Self {
    .unreachable(host: host, reason: "its address is not encrypted")
  }

  static func unreadableAddress(host: String) -> Self {
    .unreachable(host: host, reason: "its address cannot be read")
  }

  static func noAnswer(host: String, seconds: Int64) -> Self {
    .unreachable(host: host, reason: "no answer within \(seconds) seconds")
  }

  static func untrusted(host: String) -> Self {
    .unreachable(
      host: host,
      reason: "its certificate cannot be trusted (is this machine’s clock right?), or it speaks "
        + "no TLS")
  }

  static func badStatus(_ status: Int, host: String) -> Self {
    .unreachable(host: host, reason: "it answers with status \(status)")
  }

  // MARK: Its answer is none

  static func redirected(host: String) -> Self {
    .malformedAnswer(host: host, reason: "it sends us elsewhere")
  }

  static func tokenDespiteStatus(_ status: Int, host: String) -> Self {
    .malformedAnswer(host: host, reason: "a token with status \(status)")
  }

  static func malformed(_ fault: TokenGrant.Malformed, status: Int? = nil, host: String) -> Self {
    let status = status.map { " (status \($0))" } ?? ""
    return .malformedAnswer(host: host, reason: fault.words + status)
  }

  // MARK: The tokens' file

  static func noFile(path: String) -> Self { .cannotKeep(path: path, reason: "it is no file") }

  static func notEncodable(path: String) -> Self {
    .cannotKeep(path: path, reason: "it cannot be encoded")
  }
}
