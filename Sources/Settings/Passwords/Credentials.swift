import Foundation
import MailCore

/// Gets one server's password or token when it is first needed, and remembers it for the run.
///
/// A command runs once, however many connections ask at the same time: it may show a dialogue to a person. Access
/// tokens of `mirror auth` are asked for anew each time: they run out, and their source remembers them.
package final class Credentials: @unchecked Sendable {  // `lock` guards all that changes
  private enum State {
    case unread
    case reading
    case known(Result<Secret, SettingsError>)
  }

  private let server: ServerSettings
  private let tokens: (any AccessTokenSource)?
  private let timeLimit: Duration
  private let environment: [String: String]
  private let refusedLogIn: RefusedLogIn?
  /// What was opened with it, by whoever opens more than one session.
  package let letIn = LetInSessions()
  private let lock = NSCondition()
  private var state = State.unread
  private var refusals = TokenRefusals()
  /// What a server has let in and not refused since, and when (Unix seconds).
  private var lastLetIn: (secret: Secret, since: Int64)?

  /// - Parameters:
  ///   - tokens: where access tokens come from, for accounts that configure no secret.
  ///   - environment: of a command, over that of this process.
  ///   - refusedLogIn: what is known of earlier log-ins; nil: each is tried, and nothing remembered.
  package init(
    for server: ServerSettings, tokens: (any AccessTokenSource)? = nil,
    timeLimit: Duration = .seconds(30), environment: [String: String] = [:],
    refusedLogIn: RefusedLogIn? = nil
  ) {
    self.refusedLogIn = refusedLogIn
    self.server = server
    self.tokens = server.auth.takesToken && server.secret == .none ? tokens : nil
    self.timeLimit = timeLimit
    self.environment = environment
  }

  /// The secret; empty where EXTERNAL needs none. **Blocks** while a command runs or a token is fetched: never call it
  /// from a `Task`, only from a thread of your own. A command's failure is remembered like a success.
  package func secret() throws(SettingsError) -> Secret {
    if let tokens {
      let refusals = locked { self.refusals }
      if refusals.isHopeless { throw Self.hopeless(tokens.account) }
      return try tokens.accessToken(insteadOf: refusals.last)
    }
    lock.lock()
    while case .reading = state { lock.wait() }
    if case .known(let result) = state {
      lock.unlock()
      return try result.get()
    }
    state = .reading
    lock.unlock()
    let result = read()
    lock.lock()
    state = .known(result)
    lock.broadcast()
    lock.unlock()
    return try result.get()
  }

  /// Whether there is a secret now, and not the one that the server refused. **Blocks** as ``secret()`` does.
  package var hasAnother: Bool {
    guard let refusedLogIn, refusedLogIn.since != nil, let secret = try? secret() else {
      return false
    }
    return (try? refusedLogIn.check(secret)) != nil
  }

  /// The server refused it: where a command makes it, the next `secret()` runs the command again.
  package func forget() {
    locked {
      if case .known = state, case .command = server.secret { state = .unread }
    }
  }

  /// A log-in came to nothing: before the next one everything is asked for anew, for a person may have put it right.
  package func renew() {
    locked {
      if case .known = state { state = .unread }
      refusals = TokenRefusals()
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  private func read() -> Result<Secret, SettingsError> {
    switch server.secret {
    case .password(let secret): return .success(secret)
    case .file(let path):
      return Result { () throws(SettingsError) in try PasswordFile.secret(path: path) }
    case .command(let argv):
      let command = PasswordCommand(
        argv: argv, timeLimit: timeLimit, environment: environment)
      return Result { () throws(SettingsError) in try command.secret() }
    case .none:
      guard server.auth.takesToken else { return .success(Secret("")) }
      return .failure(
        .noPassword(
          user: server.user,
          remedy: "Write a table [accounts.NAME.oauth] and run `mirror auth login NAME`, or set "
            + "password-command to a program that prints an OAuth2 access token."))
    }
  }
}

// MARK: Access tokens that are refused

extension Credentials {
  /// Opens a session. Where the server refuses an access token, which may have run out early, another is got, once.
  ///
  /// - Parameters:
  ///   - open: connects and logs in, and tells which secret it used.
  ///   - isRefusal: whether an error of `open` means that the server refused the secret.
  /// - Throws: what `open` throws; `SettingsError.noToken` where the server refuses fresh tokens, too;
  ///   `SettingsError.refusedBefore`, before anything is opened.
  package func loggedIn<Session>(
    isRefusal: (any Error) -> Bool,
    open: (_ used: @escaping (Secret) -> Void) throws -> Session
  ) throws -> Session {
    if let refusedLogIn, refusedLogIn.isHeeded, let since = refusedLogIn.since {
      let secret = try remembered(secret)
      if !wasLetIn(secret, by: since) { try refusedLogIn.check(secret) }
    }
    var tried: Set<Secret> = []
    while true {
      var used: Secret?
      do {
        let session = try open { used = $0 }
        if let used { accepted(used) }
        return session
      } catch {
        guard isRefusal(error), let used else { throw error }
        guard givesAnother else {
          if fileHoldsAnother(used), tried.insert(used).inserted { continue }
          rejected(used)
          throw error
        }
        // A command may print again what was refused; nothing comes of trying that twice.
        if refused(used), tried.insert(used).inserted, !printsAgain(used) { continue }
        rejected(used)
        if let tokens { throw Self.hopeless(tokens.account, error) }
        throw error
      }
    }
  }

  /// What a refusal is about: access tokens are others each hour, of one log-in of the person.
  private func remembered(_ secret: () throws -> Secret) rethrows -> Secret {
    if let tokens { return Secret("granted \(tokens.grant)") }
    return try secret()
  }

  /// Whether a secret that was refused can be followed by a better one.
  private var givesAnother: Bool {
    guard server.auth.takesToken else { return false }
    switch server.secret {
    case .command: return true
    case .none: return tokens != nil
    case .password, .file: return false
    }
  }

  /// Whether it is worth connecting once more.
  private func refused(_ token: Secret) -> Bool {
    locked {
      let isNews = !refusals.knows(token)
      let mayTryAgain = refusals.note(token)
      // A command is to be run again.
      if isNews, case .known = state { state = .unread }
      return mayTryAgain
    }
  }

  /// A person has put it right since it was read.
  private func fileHoldsAnother(_ secret: Secret) -> Bool {
    guard case .file = server.secret else { return false }
    locked { if case .known = state { state = .unread } }
    return (try? self.secret()).map { $0 != secret } ?? false
  }

  private func printsAgain(_ token: Secret) -> Bool { tokens == nil && (try? secret()) == token }

  private func accepted(_ secret: Secret) {
    let now = Int64(Date().timeIntervalSince1970)
    locked {
      refusals.forgive()
      lastLetIn = (remembered { secret }, now)
    }
    refusedLogIn?.forget()
  }

  private func rejected(_ secret: Secret) {
    locked { lastLetIn = nil }
    refusedLogIn?.remember(remembered { secret })
  }

  /// Another process was refused since this one was let in: that may have been one connection too many, as long as this
  /// one's own log-in does not show that it was not.
  private func wasLetIn(_ secret: Secret, by refusal: Int64) -> Bool {
    locked { lastLetIn.map { $0.secret == secret && $0.since <= refusal } ?? false }
  }

  private static func hopeless(_ account: String, _ refusal: (any Error)? = nil) -> SettingsError {
    let said = (refusal as? any Explained).map { " " + $0.explanation.problem } ?? ""
    return .noToken(
      Explanation(
        problem: "The mail server refuses “\(account)” with a fresh access token, too.\(said)",
        remedy: "Check user, and that the provider allows IMAP and SMTP for it; else run "
          + "`mirror auth login \(account)`.",
        exitStatus: .refused))
  }
}
