import MailCore
import SASL
import Transport

/// Signs in with a browser: authorisation code with S256, brought by a loopback redirect (RFC 8252), or by the person
/// where the provider wants another one.
///
/// **Blocks**: only from a thread of one's own.
package struct BrowserLogin {
  private let server: AuthorizationServer
  private let digests: SASLDigests
  /// Told of answers that belong to another log-in.
  package var foreignAnswer: () -> Void = {}

  package init(server: AuthorizationServer, digests: SASLDigests = .openSSL) {
    self.server = server
    self.digests = digests
  }

  /// - Parameters:
  ///   - user: for the provider's form.
  ///   - waitSeconds: how long the browser may take.
  ///   - open: is given the address to open. It must not wait for the browser.
  ///   - paste: asks the person for the code that the provider shows, or the address where the browser ends; only
  ///     where that is not on this machine.
  package func run(
    user: String?, waitSeconds: Int, open: (String) -> Void,
    paste: () throws(OAuthError) -> String
  ) throws(OAuthError) -> TokenGrant {
    let provider = server.client.provider
    guard provider.authorizationURL != nil else { throw .noBrowserFlow(provider: provider.name) }
    let proof = try ProofKey(digests)
    let state = try RandomText.make(digests)
    var receiver: LoopbackReceiver?
    if let address = RedirectAddress(provider.redirectURL) {
      receiver = try LoopbackReceiver(address)
    }
    let redirect = receiver?.redirectURL ?? provider.redirectURL
    guard
      let request = AuthorizationRequest(
        client: server.client, redirect: redirect, user: user, proof: proof, state: state)
    else { throw .noBrowserFlow(provider: provider.name) }
    open(request.url)
    let code: Secret
    if let receiver {
      code = try receiver.code(
        state: state, waitSeconds: waitSeconds, isCancelled: server.isCancelled,
        foreign: foreignAnswer)
    } else {
      code = try PastedAnswer(try paste(), state: state).code()
    }
    return try server.exchange(code: code, proof: proof, redirect: redirect)
  }
}
