import MailCore
import SASL
import Transport

/// The address that a person opens to sign in (RFC 6749 §4.1.1, RFC 7636 §4.3). Holds no secret.
package struct AuthorizationRequest: Sendable {
  /// Comes back with the answer: what lacks it belongs to another log-in.
  package let state: String
  package let url: String

  /// - Parameters:
  ///   - redirect: where the browser is sent afterwards.
  ///   - user: shown in the form, as far as the provider cares.
  package init?(
    client: OAuthClient, redirect: String, user: String?, proof: ProofKey, state: String
  ) {
    guard let base = client.provider.authorizationURL else { return nil }
    var query = FormText([
      "response_type": "code", "client_id": client.id, "redirect_uri": redirect,
    ])
    if !client.provider.scopes.isEmpty {
      query.add("scope", client.provider.scopes.joined(separator: " "))
    }
    query.add("state", state)
    query.add("code_challenge", proof.challenge)
    query.add("code_challenge_method", "S256")
    if let user { query.add("login_hint", user) }
    for (name, value) in client.provider.parameters.sorted(by: { $0.key < $1.key }) {
      query.add(name, value)
    }
    self.state = state
    // An address may bring a query of its own (RFC 6749 §3.1).
    url = base + (base.contains("?") ? "&" : "?") + String(decoding: query.encoded, as: UTF8.self)
  }
}
