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

  package var grant: String { String((try? kept().record?.granted) ?? 0) }

  package func accessToken(insteadOf refused: Secret?) throws(SettingsError) -> Secret {
    do throws(OAuthError) {
      if let token = try kept().record?.usableToken(at: now(), insteadOf: refused) { return token }
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
    record.granted = now()
    if let commands {
      // Where none was granted, the one of an earlier log-in must not be taken for this one's.
      try keep(grant.refreshToken ?? Secret(""), with: commands)
    } else {
      record.refreshToken = grant.refreshToken
    }
    try file.write(record)
  }

  /// Forgets the tokens, and tells the provider so where that is possible.
  ///
  /// - Returns: whether the provider has taken them back.
  /// - Throws: ``OAuthError/notTakenBack(account:_:command:)``, or what kept the person's own command from it; the file
  ///   is gone all the same, as whoever signs out offline may be about to give the machine away.
  package func signOut() throws(OAuthError) -> Bool {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let kept = try kept()
    let held = try? commands?.secret()
    var problem: SettingsError?
    try file.remove()
    // A command that cannot be read from now may still hold what a log-in gave it.
    if let commands, held != nil || !kept.isNothing {
      do throws(SettingsError) { try commands.keep(Secret("")) } catch { problem = error }
    }
    // What was granted by another server is not for this one to hear.
    let last = kept.isForeign ? nil : kept.record?.refreshToken ?? held ?? kept.record?.accessToken
    var isTakenBack = false
    if let last {
      do throws(OAuthError) {
        isTakenBack = try server.revoke(last)
      } catch {
        throw .notTakenBack(account: account, error.explanation, command: problem)
      }
    }
    if let problem { throw .command(problem) }
    return isTakenBack
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
    /// The person's own command did not take the refresh token, so it lies in the file until it does.
    package var awaitsCommand = false
  }

  /// Asks nobody and runs no command.
  package func status() throws(OAuthError) -> Status {
    guard let record = try kept().record else { return Status(state: .never) }
    let canRenew = record.refreshToken != nil || commands != nil
    let isGood = canRenew || record.usableToken(at: now(), insteadOf: nil) != nil
    guard !record.needsLogin, isGood else { return Status(state: .needsLogin) }
    return Status(
      state: .signedIn, expires: record.accessToken == nil ? nil : record.expires,
      awaitsCommand: commands != nil && record.refreshToken != nil)
  }

  // MARK: Renewal

  private func renewed(insteadOf refused: Secret?) throws(OAuthError) -> Secret {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    // Whoever held the lock may have done the work.
    let kept = try kept()
    if kept.record?.needsLogin == true { throw .loginEnded(account: account) }
    if let token = kept.record?.usableToken(at: now(), insteadOf: refused) { return token }
    let refresh = try refreshToken(kept)
    var record = kept.record ?? emptyRecord
    // A disk that is full is told before the provider forgets the token that is kept.
    let room = try file.room()
    switch try server.refresh(refresh) {
    case .success(let grant):
      record.take(grant, at: now())
      record.refreshToken = grant.refreshToken ?? record.refreshToken
      try keep(record, in: room)
      return grant.accessToken
    case .failure(let refusal) where Self.endsLogin(refusal):
      record.needsLogin = true
      record.accessToken = nil
      try file.write(record, in: room)
      throw .loginEnded(account: account)
    case .failure(let refusal): throw OAuthError(refusal)
    }
  }

  /// RFC 6749 §5.2 has the first; the others are OpenID Connect's words, which Microsoft uses here.
  private static func endsLogin(_ refusal: OAuthRefusal) -> Bool {
    ["invalid_grant", "interaction_required", "login_required", "consent_required"]
      .contains(refusal.code)
  }

  private func refreshToken(_ kept: Kept) throws(OAuthError) -> Secret {
    if let token = kept.record?.refreshToken { return token }
    // The person's command knows of one token only: where the file is another log-in's, so is that.
    guard let commands, !kept.isForeign else {
      throw kept.record == nil ? .neverSignedIn(account: account) : .loginEnded(account: account)
    }
    do throws(SettingsError) {
      return try commands.secret()
    } catch {
      throw kept.record == nil ? OAuthError.neverSignedIn(account: account) : .command(error)
    }
  }

  /// A provider that rotates refresh tokens has forgotten the old one, and the new one must not get lost. So the file
  /// takes it first, as the command may wait for a person or be killed, and keeps it until the command has it.
  private func keep(_ record: TokenRecord, in room: TokenFile.Room) throws(OAuthError) {
    do throws(OAuthError) {
      try file.write(record, in: room)
    } catch {
      if let commands, let token = record.refreshToken { try keep(token, with: commands) }
      throw error
    }
    guard let commands, let token = record.refreshToken else { return }
    do throws(SettingsError) { try commands.keep(token) } catch { return }
    var record = record
    record.refreshToken = nil
    try file.write(record)
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

  /// What the file holds.
  private enum Kept {
    case nothing
    /// It was granted to another program or user, or by another server.
    case foreign
    case ours(TokenRecord)

    var record: TokenRecord? { if case .ours(let record) = self { record } else { nil } }
    var isForeign: Bool { if case .foreign = self { true } else { false } }
    var isNothing: Bool { if case .nothing = self { true } else { false } }
  }

  private func kept() throws(OAuthError) -> Kept {
    guard case .record(let record) = try file.read() else { return .nothing }
    let isOurs =
      record.tokenURL == server.client.provider.tokenURL && record.clientID == server.client.id
      && record.user == user
    return isOurs ? .ours(record) : .foreign
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
    guard let oauth = settings.oauth else { return nil }
    self.init(
      account: settings.name, user: settings.imap.user, oauth, environment: environment,
      isCancelled: isCancelled)
  }

  /// For an account that the configuration is about to have; nil where there is no home directory.
  package init?(
    account: String, user: String, _ oauth: OAuthSettings, environment: [String: String],
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    guard let state = StateDirectory.path(environment: environment) else { return nil }
    var commands: SecretCommands?
    if let load = oauth.loadCommand, let store = oauth.storeCommand {
      commands = SecretCommands(load: load, store: store)
    }
    self.init(
      account: account, user: user,
      server: AuthorizationServer(client: OAuthClient(oauth), isCancelled: isCancelled),
      directory: state + "/oauth", commands: commands)
  }
}
