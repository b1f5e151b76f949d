import Foundation
import MailCore
import Settings

/// Keeps one account's tokens: in a file of its owner's alone, the refresh token also with the person's own commands.
///
/// Everything **blocks**: only from a thread of one's own. The file is the truth, so processes at work at the same time
/// renew a token once.
package struct TokenKeeper: AccessTokenSource {
  package let account: String
  package let user: String
  package let server: AuthorizationServer
  private let commands: SecretCommands?
  private let file: TokenFile
  private let now: @Sendable () -> Int64

  /// Longer than a request and both of the person's commands may take.
  private static let lockSeconds = 120.0

  /// - Parameters:
  ///   - directory: where the files lie; made when needed.
  ///   - commands: keep the refresh token in place of the file.
  ///   - now: Unix seconds.
  package init(
    account: String, user: String, server: AuthorizationServer, directory: String,
    commands: SecretCommands? = nil,
    now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  ) {
    self.account = account
    self.user = user
    self.server = server
    self.commands = commands
    self.now = now
    file = TokenFile(directory: directory, account: account)
  }

  package func accessToken(insteadOf refused: Secret?) throws(SettingsError) -> Secret {
    do throws(OAuthError) {
      if let token = try record()?.usableToken(at: now(), insteadOf: refused) { return token }
      return try renewed(insteadOf: refused)
    } catch {
      throw error.asSettingsError
    }
  }

  // MARK: Signing in and out

  /// Keeps what a log-in granted. What was kept before is gone.
  package func signedIn(_ grant: TokenGrant) throws(OAuthError) {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    var record = emptyRecord
    record.take(grant, at: now())
    if let token = grant.refreshToken {
      if let commands { try keep(token, with: commands) } else { record.refreshToken = token }
    }
    try file.write(record)
  }

  /// Forgets the tokens, and tells the provider so where that is possible.
  ///
  /// - Returns: whether the provider has taken them back.
  /// - Throws: what kept the provider from it; nothing is left here all the same.
  package func signOut() throws(OAuthError) -> Bool {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let record = try record()
    var token = record?.refreshToken
    if token == nil, record != nil, let commands { token = try? commands.secret() }
    try file.remove()
    if record != nil, let commands { try keep(Secret(""), with: commands) }
    guard let last = token ?? record?.accessToken else { return false }
    return try server.revoke(last)
  }

  package struct Status: Sendable, Equatable {
    package enum State: String, Sendable {
      case signedIn = "signed-in"
      case needsLogin = "needs-login"
      case never
    }

    package var state: State
    /// Of the access token, which is renewed by itself; Unix seconds.
    package var expires: Int64?
  }

  /// Asks nobody and runs no command.
  package func status() throws(OAuthError) -> Status {
    guard let record = try record() else { return Status(state: .never) }
    let canRenew = record.refreshToken != nil || commands != nil
    let isGood = canRenew || record.usableToken(at: now(), insteadOf: nil) != nil
    guard !record.needsLogin, isGood else { return Status(state: .needsLogin) }
    return Status(state: .signedIn, expires: record.accessToken == nil ? nil : record.expires)
  }

  // MARK: Renewal

  private func renewed(insteadOf refused: Secret?) throws(OAuthError) -> Secret {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    // Whoever held the lock may have done the work.
    let known = try record()
    if known?.needsLogin == true { throw .loginEnded(account: account) }
    if let token = known?.usableToken(at: now(), insteadOf: refused) { return token }
    let refresh = try refreshToken(known)
    var record = known ?? emptyRecord
    switch try server.refresh(refresh) {
    case .success(let grant):
      record.take(grant, at: now())
      try keep(grant.refreshToken, in: &record)
      try file.write(record)
      return grant.accessToken
    case .failure(let refusal) where Self.endsLogin(refusal):
      record.needsLogin = true
      record.accessToken = nil
      try file.write(record)
      throw .loginEnded(account: account)
    case .failure(let refusal): throw OAuthError(refusal)
    }
  }

  /// RFC 6749 §5.2 has the first; the others are OpenID Connect's words, which Microsoft uses here.
  private static func endsLogin(_ refusal: OAuthRefusal) -> Bool {
    ["invalid_grant", "interaction_required", "login_required", "consent_required"]
      .contains(refusal.code)
  }

  private func refreshToken(_ record: TokenRecord?) throws(OAuthError) -> Secret {
    if let token = record?.refreshToken { return token }
    guard let commands else {
      throw record == nil ? .neverSignedIn(account: account) : .loginEnded(account: account)
    }
    do throws(SettingsError) {
      return try commands.secret()
    } catch {
      throw record == nil ? OAuthError.neverSignedIn(account: account) : .command(error)
    }
  }

  /// A provider that rotates refresh tokens has forgotten the old one: the new one must not get lost, so where the
  /// command does not take it now, the file does until it will.
  private func keep(_ rotated: Secret?, in record: inout TokenRecord) throws(OAuthError) {
    guard let token = rotated ?? record.refreshToken else { return }
    record.refreshToken = token
    guard let commands else { return }
    do throws(SettingsError) {
      try commands.keep(token)
      record.refreshToken = nil
    } catch {}
  }

  private func keep(_ token: Secret, with commands: SecretCommands) throws(OAuthError) {
    do throws(SettingsError) {
      try commands.keep(token)
    } catch {
      throw OAuthError.command(error)
    }
  }

  // MARK: The file

  private var emptyRecord: TokenRecord {
    TokenRecord(
      tokenURL: server.client.provider.tokenURL, clientID: server.client.id, user: user)
  }

  /// Nil also where it was granted to another program or user, or by another server.
  private func record() throws(OAuthError) -> TokenRecord? {
    guard let record = try file.read(), record.tokenURL == server.client.provider.tokenURL,
      record.clientID == server.client.id, record.user == user
    else { return nil }
    return record
  }

  private func lock() throws(OAuthError) -> TokenFile.Lock {
    try file.lock(seconds: Self.lockSeconds, isCancelled: server.isCancelled)
  }
}

extension TokenKeeper {
  /// For an account of the configuration; nil where it has no `oauth` table, or there is no home directory.
  package init?(
    _ settings: AccountSettings, environment: [String: String],
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    guard let oauth = settings.oauth, let state = StateDirectory.path(environment: environment)
    else { return nil }
    var commands: SecretCommands?
    if let load = oauth.loadCommand, let store = oauth.storeCommand {
      commands = SecretCommands(load: load, store: store)
    }
    self.init(
      account: settings.name, user: settings.imap.user,
      server: AuthorizationServer(client: OAuthClient(oauth), isCancelled: isCancelled),
      directory: state + "/oauth", commands: commands)
  }
}
