import ArgumentParser
import CLISupport
import Foundation
import MailCore
import Settings
import Setup

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Set up an account: from an address to a first pull.",
    discussion: """
      Finds the servers of an address, shows them, checks the log-in, asks which folders to mirror, \
      keeps the password where you want it, and writes the configuration. Every answer is also an \
      option; with --yes nothing is asked.

      Exit status: 0 done, 1 tokens not kept, 64 something is missing, 69 server unreachable, \
      77 log-in refused, 78 configuration, 130 broken off.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Answers") var answers: InitAnswers

  @Argument(help: ArgumentHelp("Your e-mail address.", valueName: "address"))
  var address: String?

  @Flag(name: .shortAndLong, help: "Ask nothing: take what is found and usual, or fail.")
  var yes = false

  @Flag(help: "Find servers by the bundled table alone, and log in nowhere.")
  var offline = false

  @Flag(help: "Do not log in to the servers.")
  var noCheck = false

  @Flag(help: "Replace the account of this name.")
  var replace = false

  @Option(help: ArgumentHelp("Database of providers, or none.", valueName: "url"))
  var ispdb = AutoconfigAddresses.publicDatabase

  @Flag(inversion: .prefixedNo, help: "Pull the mail at the end.")
  var pull: Bool?

  @Flag(help: "Tell what would be written, and write nothing.")
  var dryRun = false

  func validate() throws {
    if let address, let email = answers.email, address != email {
      throw ValidationError("Two addresses: “\(address)” and “\(email)”.")
    }
    if noCheck || offline, let way = answers.signIn, way != .later {
      throw ValidationError("--sign-in \(way.rawValue) logs in; --no-check and --offline do not.")
    }
    guard ispdb == "none" || ispdb.hasPrefix("https://") else {
      throw ValidationError("--ispdb takes an address that begins with https://, or none.")
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let report = Report(
      program: "mirror", options: common, console: Console(), environment: environment)
    guard yes || Dialogue.isPossible else {
      throw InitFailure(
        explanation: Explanation(
          problem: "Standard input is no terminal, so nobody can be asked.",
          remedy: "Give the answers as options, and --yes; see mirror-init(1).",
          exitStatus: .usage))
    }
    let path = Self.absolute(
      common.config ?? Configuration.defaultPath(environment: environment), environment)
    let file = try ConfigurationFile(path: path, environment: environment)
    var given = try answers.given(address: address) { Self.absolute($0, environment) }
    if let root = given.root, let known = file.root, Self.absolute(root, environment) != known {
      throw WritingError.otherRoot(known, path: path)
    }
    (given.replaces, given.checks) = (replace, !noCheck && !offline)
    given.pulls = dryRun ? false : pull
    // A log-in that nothing keeps is asked of nobody.
    if dryRun { given.signIn = .later }
    let keeper = SecretKeeper(
      directory: (path as NSString).deletingLastPathComponent, environment: environment)
    if yes, given.store != nil { given.password = try Self.typedPassword() }
    if let secretFile = answers.clientSecretFile {
      given.clientSecret = try await Self.clientSecret(
        Self.absolute(secretFile, environment), keeper)
    }
    var options = Discovery.Options()
    (options.isOffline, options.caFile) = (offline, given.caFile)
    options.database = ispdb == "none" ? nil : ispdb
    var run = InitRun(
      report: report, file: file, keeper: keeper, given: given,
      discovery: Discovery(options, environment: environment), isScripted: yes,
      isDryRun: dryRun, environment: environment)
    try await run.run()
  }

  /// Nobody is asked, so a program hands it over.
  private static func typedPassword() throws -> Secret {
    let line = Dialogue.isPossible ? nil : InputLine(waitSeconds: 60, isCancelled: { false }).read()
    let password = line.map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    guard let password, !password.isEmpty else {
      throw InitFailure(
        explanation: Explanation(
          problem: "--password-store with --yes takes the password from standard input.",
          remedy: "Pipe it in, as its first line; or leave --yes out and be asked.",
          exitStatus: .usage))
    }
    return Secret(password)
  }

  /// Read as a password is: a file that others can read is refused.
  private static func clientSecret(_ path: String, _ keeper: SecretKeeper) async throws -> Secret {
    do throws(SecretFailure) {
      return try await keeper.read(.file(path))
    } catch {
      throw InitFailure(
        explanation: Explanation(
          problem: "--client-secret-file: \(error.words)", exitStatus: .refused))
    }
  }

  /// `~` expanded, and relative to where we are.
  private static func absolute(_ path: String, _ environment: [String: String]) -> String {
    var path = path
    if path == "~" || path.hasPrefix("~/"), let home = environment["HOME"] {
      path = home + path.dropFirst()
    }
    guard !path.hasPrefix("/") else { return path }
    return FileManager.default.currentDirectoryPath + "/" + path
  }
}
