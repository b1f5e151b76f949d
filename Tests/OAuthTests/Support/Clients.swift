import Foundation
import MailCore
import MailTestKit
import OAuth

/// A client of a server that the test runs.
func client(of server: TokenServer, secret: Secret? = nil) -> OAuthClient {
  var provider = OAuthProvider.custom(tokenURL: server.url("/token"))
  provider.authorizationURL = server.url("/authorize")
  provider.deviceURL = server.url("/device")
  provider.revocationURL = server.url("/revoke")
  provider.scopes = ["imap", "smtp"]
  return OAuthClient(provider: provider, id: "mirror-test", secret: secret)
}

/// A clock that a test sets.
final class TestClock: @unchecked Sendable {  // `seconds` behind `lock`
  private let lock = NSLock()
  private var seconds: Int64 = 1_700_000_000

  var now: Int64 { lock.withLock { seconds } }
  func pass(_ more: Int64) { lock.withLock { seconds += more } }
}

extension Secret {
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// What a call throws; nil where it does not.
func problem<Value>(_ work: () throws(OAuthError) -> Value) -> OAuthError? {
  do throws(OAuthError) {
    _ = try work()
    return nil
  } catch {
    return error
  }
}
