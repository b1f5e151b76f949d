import Foundation
import MailCore

/// What is kept of one account's log-in.
struct TokenRecord: Sendable, Equatable {
  /// For whom and by whom it was granted: with other settings it must not be used, nor sent anywhere.
  var tokenURL: String
  var clientID: String
  var user: String
  /// Nil where the person's own commands keep it, or none was granted.
  var refreshToken: Secret?
  var accessToken: Secret?
  /// Unix seconds.
  var obtained: Int64 = 0
  var expires: Int64 = 0
  /// The provider refused to renew the log-in: nothing is asked of it until somebody signs in.
  var needsLogin = false
  /// When the person signed in, in Unix seconds; 0 where an earlier version wrote the file.
  var granted: Int64 = 0

  /// Seconds before its end at which a token counts as used up.
  static let margin: Int64 = 60
  /// A clock that was turned back by more makes all times doubtful.
  private static let clockSlack: Int64 = 300

  init(tokenURL: String, clientID: String, user: String) {
    self.tokenURL = tokenURL
    self.clientID = clientID
    self.user = user
  }

  /// The access token, if it is good for a minute more.
  func usableToken(at now: Int64, insteadOf refused: Secret?) -> Secret? {
    guard !needsLogin, let accessToken, accessToken != refused, now + Self.margin < expires,
      now >= obtained - Self.clockSlack
    else { return nil }
    return accessToken
  }

  mutating func take(_ grant: TokenGrant, at now: Int64) {
    accessToken = grant.accessToken
    obtained = now
    expires = now + grant.lifetime
    needsLogin = false
  }
}

// MARK: As a file

extension TokenRecord {
  private struct Stored: Codable {
    var version: Int
    var tokenURL: String
    var clientID: String
    var user: String
    var refreshToken: String?
    var accessToken: String?
    var obtained: Int64
    var expires: Int64
    var needsLogin: Bool
    var granted: Int64?

    enum CodingKeys: String, CodingKey {
      case version, user, obtained, expires, granted
      case tokenURL = "token_url"
      case clientID = "client_id"
      case refreshToken = "refresh_token"
      case accessToken = "access_token"
      case needsLogin = "needs_login"
    }
  }

  /// JSON. Secret.
  func bytes() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let stored = Stored(
      version: 1, tokenURL: tokenURL, clientID: clientID, user: user,
      refreshToken: refreshToken?.text, accessToken: accessToken?.text, obtained: obtained,
      expires: expires, needsLogin: needsLogin, granted: granted)
    return Array(try encoder.encode(stored)) + [UInt8(ascii: "\n")]
  }

  /// Nil for anything that this version did not write: then somebody has to sign in again.
  init?(bytes: [UInt8]) {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
      stored.version == 1
    else { return nil }
    self.init(tokenURL: stored.tokenURL, clientID: stored.clientID, user: stored.user)
    refreshToken = stored.refreshToken.map { Secret($0) }
    accessToken = stored.accessToken.map { Secret($0) }
    obtained = min(max(stored.obtained, 0), 1 << 40)
    expires = min(max(stored.expires, 0), 1 << 40)
    needsLogin = stored.needsLogin
    granted = stored.granted ?? 0
  }
}

extension Secret {
  /// Tokens are ASCII.
  fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
