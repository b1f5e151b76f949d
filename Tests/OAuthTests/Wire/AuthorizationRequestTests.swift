import Foundation
import MailCore
import Testing

@testable import OAuth

@Suite struct AuthorizationRequestTests {
  private func fields(_ url: String) throws -> [String: String] {
    let items = try #require(URLComponents(string: url)?.queryItems)
    #expect(Set(items.map(\.name)).count == items.count)
    return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
  }

  private func request(_ client: OAuthClient, user: String? = "me+x@example.org") throws -> String {
    let proof = try ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    return try #require(
      AuthorizationRequest(
        client: client, redirect: "http://127.0.0.1:4711", user: user, proof: proof, state: "st"
      )
    ).url
  }

  @Test(arguments: [OAuthProvider.google, .microsoft, .yahoo])
  func `a provider's page is asked for a code, with proof, state and its scopes`(
    provider: OAuthProvider
  ) throws {
    let url = try request(OAuthClient(provider: provider, id: "id&1", secret: Secret("hidden")))
    #expect(url.hasPrefix("https://"))
    #expect(!url.contains("hidden"))
    let fields = try fields(url)
    #expect(fields["response_type"] == "code")
    #expect(fields["client_id"] == "id&1")
    #expect(fields["redirect_uri"] == "http://127.0.0.1:4711")
    #expect(fields["scope"] == provider.scopes.joined(separator: " "))
    #expect(fields["state"] == "st")
    #expect(fields["code_challenge"] == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    #expect(fields["code_challenge_method"] == "S256")
    #expect(fields["login_hint"] == "me+x@example.org")
    #expect(!url.contains("dBjftJeZ4CVP"))
  }

  @Test func `an address with a query keeps it`() throws {
    var provider = OAuthProvider.custom(tokenURL: "https://id.example.org/token")
    provider.authorizationURL = "https://id.example.org/auth?tenant=7"
    let url = try request(OAuthClient(provider: provider, id: "x"), user: nil)
    #expect(url.hasPrefix("https://id.example.org/auth?tenant=7&response_type=code&"))
    #expect(try fields(url)["login_hint"] == nil)
    #expect(try fields(url)["scope"] == nil)
  }

  @Test func `every address of the table is encrypted, and redirects stay on this machine`() {
    for provider in [OAuthProvider.google, .microsoft, .yahoo] {
      let urls = [
        provider.authorizationURL, provider.tokenURL, provider.deviceURL, provider.revocationURL,
      ]
      for url in urls.compactMap({ $0 }) {
        #expect(url.hasPrefix("https://"))
        #expect(Addresses.isSafe(url))
      }
      #expect(RedirectAddress(provider.redirectURL) != nil || provider.redirectURL == "oob")
      #expect(!provider.scopes.isEmpty)
    }
  }

  @Test(arguments: [
    "http://example.org/token", "http://127.0.0.1.example.org/", "http://127.1/",
    "ftp://localhost/",
    "https://user@example.org/", "https://", "", "token", "http://localhost@example.org/",
    "javascript:alert(1)", "http://[::2]/",
  ]) func `secrets go nowhere else`(url: String) {
    #expect(!Addresses.isSafe(url))
  }
}
