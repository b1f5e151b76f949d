import Foundation
import MailCore
import SASL
import Settings

/// The requests of a client to its provider's authorisation server. **Blocks**: only from a thread of one's own.
package struct AuthorizationServer: Sendable {
  package let client: OAuthClient
  private let posting: HTTPSPosting
  /// Looked at while an answer is awaited.
  package let isCancelled: @Sendable () -> Bool

  package init(
    client: OAuthClient, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.client = client
    posting = HTTPSPosting(caFile: client.caFile)
    self.isCancelled = isCancelled
  }

  /// RFC 6749 §4.1.3, RFC 7636 §4.5.
  func exchange(code: Secret, proof: ProofKey, redirect: String) throws(OAuthError) -> TokenGrant {
    var form = FormText(["grant_type": "authorization_code", "redirect_uri": redirect])
    form.add("code", code)
    form.add("code_verifier", proof.verifier)
    switch try token(form, isCancelled: isCancelled) {
    case .success(let grant): return grant
    case .failure(let refusal): throw OAuthError(refusal)
    }
  }

  /// RFC 6749 §6. A refusal is an answer: what it means is for who keeps the token.
  ///
  /// Once the request is under way, a run that is stopped waits a moment for its answer: with it the provider may have
  /// forgotten the token that was sent, and the new one stands nowhere else.
  func refresh(_ token: Secret) throws(OAuthError) -> Result<TokenGrant, OAuthRefusal> {
    if isCancelled() { throw .interrupted }
    var form = FormText(["grant_type": "refresh_token"])
    form.add("refresh_token", token)
    return try self.token(form, isCancelled: isCancelledForLong)
  }

  /// How long a run that is stopped waits for an answer that must not get lost.
  static let grace = Duration.seconds(5)

  private var isCancelledForLong: () -> Bool {
    let isCancelled = isCancelled
    var stopped: ContinuousClock.Instant?
    return {
      guard isCancelled() else { return false }
      let since = stopped ?? .now
      stopped = since
      return since.duration(to: .now) >= Self.grace
    }
  }

  /// RFC 8628 §3.1.
  func deviceCode() throws(OAuthError) -> DeviceGrant {
    guard let url = client.provider.deviceURL else {
      throw .noDeviceFlow(provider: client.provider.name)
    }
    var form = FormText()
    if !client.provider.scopes.isEmpty {
      form.add("scope", client.provider.scopes.joined(separator: " "))
    }
    let (answer, sent) = try post(form, to: url, isCancelled: isCancelled)
    let read: Result<DeviceGrant, OAuthRefusal>
    do throws(TokenGrant.Malformed) {
      read = try DeviceGrant.read(answer.body, hiding: sent)
    } catch {
      throw OAuthError.malformed(error, host: Addresses.host(of: url))
    }
    switch read {
    case .success(let grant): return grant
    case .failure(let refusal): throw OAuthError(refusal)
    }
  }

  /// RFC 8628 §3.4.
  func token(device: DeviceGrant) throws(OAuthError) -> Result<TokenGrant, OAuthRefusal> {
    var form = FormText(["grant_type": "urn:ietf:params:oauth:grant-type:device_code"])
    form.add("device_code", device.deviceCode)
    return try token(form, isCancelled: isCancelled)
  }

  /// RFC 7009. False where the provider has no address for it, or does not take the token back.
  package func revoke(_ token: Secret) throws(OAuthError) -> Bool {
    guard let url = client.provider.revocationURL else { return false }
    var form = FormText()
    form.add("token", token)
    let (answer, _) = try post(form, to: url, isCancelled: isCancelled)
    if (200..<300).contains(answer.status) { return true }
    // A token that is unknown is as good as revoked: the RFC wants 200 for it, Google answers 400.
    guard case .failure(let refusal)? = try? TokenGrant.read(answer.body) else { return false }
    return refusal.code == "invalid_token"
  }

  // MARK: Steps

  private func token(_ form: FormText, isCancelled: @escaping () -> Bool) throws(OAuthError)
    -> Result<TokenGrant, OAuthRefusal>
  {
    let url = client.provider.tokenURL
    let (answer, sent) = try post(form, to: url, isCancelled: isCancelled)
    let read: Result<TokenGrant, OAuthRefusal>
    do throws(TokenGrant.Malformed) {
      read = try TokenGrant.read(answer.body, hiding: sent)
    } catch {
      throw OAuthError.malformed(error, status: answer.status, host: Addresses.host(of: url))
    }
    switch read {
    case .success where !(200..<300).contains(answer.status):
      throw .tokenDespiteStatus(answer.status, host: Addresses.host(of: url))
    case .failure(let refusal)
    where ["temporarily_unavailable", "server_error"].contains(refusal.code):
      throw .unreachable(host: Addresses.host(of: url), reason: refusal.text)
    case .success, .failure: return read
    }
  }

  /// Adds what proves who we are. The answer comes with every secret that was sent.
  private func post(_ form: FormText, to url: String, isCancelled: @escaping () -> Bool)
    throws(OAuthError) -> (FormAnswer, [Secret])
  {
    var form = form
    var authorization: Secret?
    switch (client.secret, client.provider.clientAuthentication) {
    case (let secret?, .header):
      let pair =
        FormText.encode(client.id.utf8) + [UInt8(ascii: ":")]
        + secret.withBytes { FormText.encode($0) }
      authorization = Secret(Array("Basic ".utf8) + Base64.encode(pair))
    case (let secret?, .form):
      form.add("client_id", client.id)
      form.add("client_secret", secret)
    case (nil, _): form.add("client_id", client.id)
    }
    let posting = posting
    let bytes = Secret(form.encoded)
    let header = authorization
    let result = waiting(isCancelled: isCancelled) { () async -> Result<FormAnswer, OAuthError> in
      do throws(OAuthError) {
        return .success(
          try await posting.post(bytes.withBytes { $0 }, to: url, authorization: header))
      } catch {
        return .failure(error)
      }
    }
    let answer = try result.get()
    let host = Addresses.host(of: url)
    switch answer.status {
    case 200..<300, 400..<429, 430..<500: break
    case 300..<400: throw .redirected(host: host)
    default: throw .badStatus(answer.status, host: host)
    }
    return (answer, form.secrets + [client.secret].compactMap { $0 })
  }
}
