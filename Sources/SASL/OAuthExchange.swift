import MailCore

/// OAUTHBEARER (RFC 7628) and XOAUTH2 (Google's older form): one message that carries the access token.
///
/// A refusal comes as a challenge with JSON inside, is answered by a dummy, and then as the tagged NO.
struct OAuthExchange: Sendable {
  private let mechanism: SASLMechanism
  private let secretMessage: Secret
  private var refused = false
  private(set) var serverError: String?

  var message: [UInt8] { secretMessage.withBytes { $0 } }

  /// - Throws: `.unusableCredential` for a token with characters that RFC 6750 §2.1 does not allow: most
  ///   often a command that printed more than the token.
  init(_ mechanism: SASLMechanism, credential: SASLCredential, host: String, port: UInt16)
    throws(SASLError)
  {
    self.mechanism = mechanism
    let token = credential.secret.withBytes { $0 }
    guard !token.isEmpty, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .unusableCredential(mechanism, reason: "the access token is empty or no single word")
    }
    guard !credential.user.utf8.contains(where: { $0 < 0x20 }) else {
      throw .unusableCredential(mechanism, reason: "the user name contains a control character")
    }
    let bearer = Array("auth=Bearer ".utf8) + token + [1, 1]
    if mechanism == .xoauth2 {
      secretMessage = Secret(Array("user=\(credential.user)\u{1}".utf8) + bearer)
    } else {
      let header =
        "n,a=\(SCRAMText.escaped(credential.user)),\u{1}"
        + "host=\(host)\u{1}port=\(port)\u{1}"
      secretMessage = Secret(Array(header.utf8) + bearer)
    }
  }

  mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
    guard !refused else { throw .malformedChallenge(mechanism, reason: "one challenge too many") }
    refused = true
    serverError = String(decoding: challenge.prefix(500), as: UTF8.self).visible
    // RFC 7628 §3.2.3 wants a lone ^A; XOAUTH2 an empty line.
    return mechanism == .oauthBearer ? [1] : []
  }
}
