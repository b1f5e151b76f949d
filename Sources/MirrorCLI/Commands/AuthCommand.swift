import ArgumentParser
import CLISupport
import Foundation
import MailCore
import OAuth
import Settings

/// `mirror auth …`: log-ins by OAuth2.
struct AuthGroup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth", abstract: "Sign in to providers that want OAuth2.",
    discussion: """
      Exit status: 0 done, 64 usage, 69 server unreachable, 77 log-in refused, 78 configuration.
      """,
    subcommands: [AuthLoginCommand.self, AuthStatusCommand.self, AuthLogoutCommand.self],
    defaultSubcommand: AuthStatusCommand.self)
}

struct AuthLoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Sign in to an account with a browser.",
    discussion: """
      Opens the provider's page and waits for its answer on this machine; with --device you enter a \
      code in a browser anywhere. The tokens are kept for the runs that follow, and renewed by them.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: "The account.")
  var account: String

  @Flag(help: "Sign in by a code that you enter in a browser on any machine.")
  var device = false

  @Flag(help: "Print the address and open no browser.")
  var noBrowser = false

  @Option(help: ArgumentHelp("How long the browser may take.", valueName: "seconds"))
  var wait = 300

  func validate() throws {
    guard (1...86_400).contains(wait) else {
      throw ValidationError("--wait takes 1 to 86400 seconds.")
    }
  }

  func run() async throws {
    let session = try MirrorSession(common)
    let subject = try AuthSubject(account, in: session)
    let (report, name) = (session.report, subject.account.name)
    let dialogue = LoginDialogue(
      server: subject.keeper.server, user: subject.account.imap.user, hint: subject.user,
      opensBrowser: !noBrowser, waitSeconds: wait, say: { report.console.printMessage($0) },
      foreignAnswer: {
        report.notice(name, "An answer that belongs to another log-in was ignored.")
      })
    let device = device
    let (status, canRenew) = try await onOwnThread {
      Result { () throws(OAuthError) in
        let grant = try device ? dialogue.enterCode() : dialogue.useBrowser()
        try subject.keeper.signedIn(grant)
        return (try subject.keeper.status(), grant.refreshToken != nil)
      }
    }.get()
    let state = AuthState(subject, status)
    session.report.line(state.text(now: Date()))
    try session.report.record(state)
    try session.report.document(state)
    if !canRenew { session.report.notice(account, AuthState.endsByItself) }
    if let words = subject.unused { session.report.notice(account, words) }
    try session.end(with: [])
  }
}

struct AuthStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tell which accounts are signed in.",
    discussion: "Asks no server.")

  @OptionGroup var common: CommonOptions

  @Argument(help: "Accounts; all that use OAuth2 where none is named.")
  var accounts: [String] = []

  func run() async throws {
    let session = try MirrorSession(common)
    let report = session.report
    let names =
      accounts.isEmpty
      ? session.configuration.accounts.filter { $0.oauth != nil }.map(\.name) : accounts
    var states: [AuthState] = []
    var problems: [Int32] = []
    for name in names {
      let subject = try AuthSubject(name, in: session)
      do throws(OAuthError) {
        let status = try subject.keeper.status()
        states.append(AuthState(subject, status))
        if status.awaitsCommand { report.notice(name, AuthState.awaitsCommand) }
      } catch {
        report.problem(name, error.explanation.problem, remedy: error.explanation.remedy)
        problems.append(error.explanation.exitStatus.rawValue)
      }
    }
    for state in states {
      report.line(state.text(now: Date()))
      try report.record(state)
    }
    if names.isEmpty { report.line("No account uses OAuth2.") }
    try report.document(states)
    try session.end(with: problems)
  }
}

struct AuthLogoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "Forget an account's tokens, here and at the provider.")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The account.")
  var account: String

  @Flag(help: "Tell what would be done, and do nothing.")
  var dryRun = false

  func run() async throws {
    let session = try MirrorSession(common)
    let subject = try AuthSubject(account, in: session)
    if dryRun {
      session.report.line(
        "\(account): would be signed out here, and the provider asked to take access back")
      return try tell(AuthState(subject, try subject.keeper.status()), session)
    }
    let wasRevoked = try await onOwnThread {
      Result { () throws(OAuthError) in try subject.keeper.signOut() }
    }.get()
    session.report.line(
      wasRevoked
        ? "\(account): signed out, here and at the provider"
        : "\(account): signed out here; access can be taken back on the provider's own pages, too"
    )
    try tell(AuthState(subject, try subject.keeper.status()), session)
  }

  private func tell(_ state: AuthState, _ session: MirrorSession) throws {
    var state = state
    state.dryRun = dryRun ? true : nil
    try session.report.record(state)
    try session.report.document(state)
    try session.end(with: [])
  }
}
