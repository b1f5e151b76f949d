import Settings

/// What is to be known of an authorisation server: addresses, scopes, manners.
package struct OAuthProvider: Sendable, Equatable {
  /// How a client with a secret proves itself at the token endpoint (RFC 6749 §2.3.1).
  package enum ClientAuthentication: Sendable {
    /// `Authorization: Basic`, which every server has to know.
    case header
    /// `client_secret` in the form.
    case form
  }

  package var name: String
  package var authorizationURL: String?
  package var tokenURL: String
  package var deviceURL: String?
  package var revocationURL: String?
  /// On this machine, without a port where any free one will do; else the person carries the answer over, and `oob`
  /// has the provider show it.
  package var redirectURL: String
  /// For IMAP and SMTP submission.
  package var scopes: [String]
  package var clientAuthentication: ClientAuthentication
  /// More parameters for the authorisation request.
  package var parameters: [String: String] = [:]
}

extension OAuthProvider {
  // Facts as of November 2026; the sources stand beside them.

  /// - https://accounts.google.com/.well-known/openid-configuration (addresses)
  /// - https://developers.google.com/workspace/gmail/imap/xoauth2-protocol (scope)
  /// - https://developers.google.com/identity/protocols/oauth2/native-app (loopback redirect of desktop clients, any
  ///   port; their secret goes into the form and is none; offline access)
  /// - https://developers.google.com/identity/protocols/oauth2/limited-input-device: its scopes leave mail out, so
  ///   there is no device flow for us.
  package static let google = OAuthProvider(
    name: "Google",
    authorizationURL: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenURL: "https://oauth2.googleapis.com/token",
    deviceURL: nil,
    revocationURL: "https://oauth2.googleapis.com/revoke",
    redirectURL: "http://127.0.0.1",
    scopes: ["https://mail.google.com/"],
    clientAuthentication: .form,
    // Without consent asked for, a second log-in gives no refresh token.
    parameters: ["access_type": "offline", "prompt": "consent"])

  /// - https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow, …/v2-oauth2-device-code
  ///   (addresses; `common` takes accounts of work, school and home)
  /// - https://learn.microsoft.com/en-us/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth
  ///   (scopes)
  /// - https://learn.microsoft.com/en-us/entra/identity-platform/reply-url (of `http://localhost` the port does not
  ///   count)
  /// - Revocation: it knows none for a single program.
  package static let microsoft = OAuthProvider(
    name: "Microsoft",
    authorizationURL: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    tokenURL: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    deviceURL: "https://login.microsoftonline.com/common/oauth2/v2.0/devicecode",
    revocationURL: nil,
    redirectURL: "http://localhost",
    scopes: [
      "https://outlook.office.com/IMAP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send",
      "offline_access",
    ],
    clientAuthentication: .form)

  /// - https://developer.yahoo.com/oauth2/guide/flows_authcode/ (addresses; Basic authentication; redirects are HTTPS
  ///   ones that were registered, or `oob`)
  /// - https://api.login.yahoo.com/.well-known/openid-configuration (revocation)
  /// - https://senders.yahooinc.com/developer/documentation/ (mail is for programs that Yahoo let in; AOL is the same)
  package static let yahoo = OAuthProvider(
    name: "Yahoo",
    authorizationURL: "https://api.login.yahoo.com/oauth2/request_auth",
    tokenURL: "https://api.login.yahoo.com/oauth2/get_token",
    deviceURL: nil,
    revocationURL: "https://api.login.yahoo.com/oauth2/revoke",
    redirectURL: "oob",
    scopes: ["mail-w"],
    clientAuthentication: .header)
}
