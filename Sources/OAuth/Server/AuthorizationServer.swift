import Foundation
import MailCore
import SASL
import Settings

/// The requests of a client to its provider's authorisation server. **Blocks**: only from a thread of one's own.
package struct AuthorizationServer: Sendable {
  package let client: OAuthClient
  private let posting: any FormPosting
  /// Looked at while an answer is awaited.
  package let isCancelled: @Sendable () -> Bool

  package init(
    client: OAuthClient, posting: (any FormPosting)? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.client = client
    self.posting = posting ?? HTTPSPosting(caFile: client.caFile)
    self.isCancelled = isCancelled
  }

  /// RFC 6749 §4.1.3, RFC 7636 §4.5.
  func exchange(code: Secret, proof: ProofKey, redirect: String) throws(OAuthError) -> TokenGrant {
    var form = FormText(["grant_type": "authorization_code", "redirect_uri": redirect])
    form.add("code", code)
    form.add("code_verifier", proof.verifier)
    switch try token(form) {
    case .success(let grant): return grant
    case .failure(let refusal): throw OAuthError(refusal)
    }
  }

  /// RFC 6749 §6. A refusal is an answer: what it means is for who keeps the token.
  func refresh(_ token: Secret) throws(OAuthError) -> Result<TokenGrant, OAuthRefusal> {
    var form = FormText(["grant_type": "refresh_token"])
    form.add("refresh_token", token)
    return try self.token(form)
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
    let (answer, sent) = try post(form, to: url)
    let read: Result<DeviceGrant, OAuthRefusal>
    do throws(TokenGrant.Malformed) {
      read = try DeviceGrant.read(answer.body)
    } catch {
      throw OAuthError.malformedAnswer(host: Addresses.host(of: url), reason: error.words)
    }
    switch read {
    case .success(let grant): return grant
    case .failure(let refusal): throw OAuthError(refusal.without(sent))
    }
  }

  /// RFC 8628 §3.4.
  func token(device: DeviceGrant) throws(OAuthError) -> Result<TokenGrant, OAuthRefusal> {
    var form = FormText(["grant_type": "urn:ietf:params:oauth:grant-type:device_code"])
    form.add("device_code", device.deviceCode)
    return try token(form)
  }

  /// RFC 7009. False where the provider has no address for it.
  package func revoke(_ token: Secret) throws(OAuthError) -> Bool {
    guard let url = client.provider.revocationURL else { return false }
    var form = FormText()
    form.add("token", token)
    let (answer, _) = try post(form, to: url)
    // A token that is unknown is as good as revoked; Google answers 400 for it, the RFC wants 200.
    return (200..<300).contains(answer.status) || answer.status == 400
  }

  // MARK: Steps

  private func token(_ form: FormText) throws(OAuthError) -> Result<TokenGrant, OAuthRefusal> {
    let url = client.provider.tokenURL
    let (answer, sent) = try post(form, to: url)
    let read: Result<TokenGrant, OAuthRefusal>
    do throws(TokenGrant.Malformed) {
      read = try TokenGrant.read(answer.body)
    } catch {
      throw OAuthError.malformedAnswer(
        host: Addresses.host(of: url), reason: "\(error.words) (status \(answer.status))")
    }
    switch read {
    case .success where !(200..<300).contains(answer.status):
      throw .malformedAnswer(
        host: Addresses.host(of: url), reason: "a token with status \(answer.status)")
    case .failure(let refusal)
    where ["temporarily_unavailable", "server_error"].contains(refusal.code):
      throw .unreachable(host: Addresses.host(of: url), reason: refusal.without(sent).text)
    case .success: return read
    case .failure(let refusal): return .failure(refusal.without(sent))
    }
  }

  /// Adds what proves who we are. The answer comes with every secret that was sent.
  private func post(_ form: FormText, to url: String) throws(OAuthError) -> (FormAnswer, [Secret]) {
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
    case 300..<400:
      throw .malformedAnswer(host: host, reason: "it sends us elsewhere")
    default: throw .unreachable(host: host, reason: "it answers with status \(answer.status)")
    }
    return (answer, form.secrets + [client.secret].compactMap { $0 })
  }
}

extension OAuthRefusal {
  /// A server that repeats what it was sent must not bring it into a log.
  func without(_ secrets: [Secret]) -> OAuthRefusal {
    var refusal = self
    for secret in secrets {
      let text = secret.withBytes { String(decoding: $0, as: UTF8.self) }
      guard text.utf8.count >= 8 else { continue }
      refusal.code = refusal.code.replacing(text, with: "…")
      refusal.words = refusal.words?.replacing(text, with: "…")
    }
    return refusal
  }
}
