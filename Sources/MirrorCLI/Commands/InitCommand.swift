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

      Exit status: 0 done, 64 something is missing, 69 server unreachable, 77 log-in refused, \
      78 configuration, 130 broken off.
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
    let keeper = SecretKeeper(
      directory: (path as NSString).deletingLastPathComponent, environment: environment)
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

  /// Read as a password is: a file that others can read is refused.
  private static func clientSecret(_ path: String, _ keeper: SecretKeeper) async throws -> Secret {
    do throws(SecretKeeper.Failure) {
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

/// The options that answer the set-up's questions.
struct InitAnswers: ParsableArguments {
  @Option(help: ArgumentHelp("The address.", valueName: "address"))
  var email: String?
  @Option(help: ArgumentHelp("Your name, as others see it.", valueName: "person"))
  var name: String?
  @Option(help: ArgumentHelp("The account's short name.", valueName: "name"))
  var account: String?
  @Option(help: ArgumentHelp("Incoming server.", valueName: "host"))
  var imapHost: String?
  @Option(help: ArgumentHelp("Its port.", valueName: "number"))
  var imapPort: UInt16?
  @Option(help: "implicit, starttls or none.")
  var imapTls: TLSChoice?
  @Option(help: ArgumentHelp("Outgoing server, or none.", valueName: "host"))
  var smtpHost: String?
  @Option(help: ArgumentHelp("Its port.", valueName: "number"))
  var smtpPort: UInt16?
  @Option(help: "implicit, starttls or none.")
  var smtpTls: TLSChoice?
  @Option(help: ArgumentHelp("User name at the servers. Default: the address.", valueName: "name"))
  var user: String?
  @Option(help: ArgumentHelp("User name at the outgoing server.", valueName: "name"))
  var smtpUser: String?
  @Option(
    help: ArgumentHelp("Certificates to trust beside the system's.", valueName: "file"),
    completion: .file())
  var caFile: String?
  @Option(help: ArgumentHelp("Shell command that prints the password.", valueName: "command"))
  var passwordCommand: String?
  @Option(
    help: ArgumentHelp("File with the password, mode 0600.", valueName: "file"),
    completion: .file())
  var passwordFile: String?
  @Option(help: "Log in by OAuth2: google, microsoft or yahoo.")
  var oauth: ProviderChoice?
  @Option(help: ArgumentHelp("For OAuth2.", valueName: "id"))
  var clientId: String?
  @Option(
    help: ArgumentHelp("File with its client secret, mode 0600.", valueName: "file"),
    completion: .file())
  var clientSecretFile: String?
  @Option(
    name: .customLong("folders"), parsing: .singleValue,
    help: ArgumentHelp("Folders to mirror; may be repeated.", valueName: "pattern"))
  var folders: [String] = []
  @Option(help: ArgumentHelp("How far back: all, 90d, 5GB.", valueName: "window"))
  var window: String?
  @Option(
    help: ArgumentHelp("Where the tree lies.", valueName: "directory"), completion: .directory)
  var root: String?

  enum TLSChoice: String, ExpressibleByArgument, CaseIterable { case implicit, starttls, none }
  enum ProviderChoice: String, ExpressibleByArgument, CaseIterable {
    case google, microsoft, yahoo
  }

  func validate() throws {
    let secrets = [passwordCommand != nil, passwordFile != nil, oauth != nil].count { $0 }
    if secrets > 1 {
      throw ValidationError("--password-command, --password-file and --oauth exclude each other.")
    }
    if oauth != nil, clientId == nil { throw ValidationError("--oauth needs --client-id.") }
    if clientId != nil, passwordCommand != nil || passwordFile != nil {
      throw ValidationError("--client-id is for OAuth2, which needs no password.")
    }
    if clientSecretFile != nil, clientId == nil {
      throw ValidationError("--client-secret-file goes with --client-id.")
    }
    if let window, !WindowAnswer.isValid(window) {
      throw ValidationError("--window is all, days as 90d, or a size as 5GB.")
    }
    if folders.contains(where: { $0.isEmpty || $0 == "!" }) {
      throw ValidationError("--folders holds an empty pattern.")
    }
    _ = try server(imapHost, imapPort, imapTls, "imap")
    if smtpHost != "none" { _ = try server(smtpHost, smtpPort, smtpTls, "smtp") }
  }

  /// What the options say, in the wizard's terms.
  func given(address: String?, absolute: (String) -> String) throws -> SetupGiven {
    var given = SetupGiven()
    given.address = address ?? email
    (given.realName, given.account) = (name, account)
    given.imap = try server(imapHost, imapPort, imapTls, "imap")
    given.noSMTP = smtpHost == "none"
    if !given.noSMTP { given.smtp = try server(smtpHost, smtpPort, smtpTls, "smtp") }
    given.imapTLS = imapTls.flatMap { TLSMode(rawValue: $0.rawValue) }
    given.smtpTLS = smtpTls.flatMap { TLSMode(rawValue: $0.rawValue) }
    (given.user, given.smtpUser) = (user, smtpUser)
    given.caFile = caFile.map(absolute)
    if let passwordCommand { given.credential = .shell(passwordCommand) }
    if let passwordFile { given.credential = .file(absolute(passwordFile)) }
    given.clientID = clientId
    if let oauth, let clientId, let provider = OAuthSettings.Provider(rawValue: oauth.rawValue) {
      given.credential = .oauth(provider, clientID: clientId)
    }
    given.folders = folders.isEmpty ? nil : folders
    given.window = window
    given.root = root.map { $0.hasPrefix("~") ? $0 : absolute($0) }
    return given
  }

  private func server(_ host: String?, _ port: UInt16?, _ tls: TLSChoice?, _ kind: String) throws
    -> ServerAnswer?
  {
    guard let host else {
      guard port == nil, tls == nil else {
        throw ValidationError("--\(kind)-port and --\(kind)-tls go with --\(kind)-host.")
      }
      return nil
    }
    guard var server = ServerAnswer(host) else {
      throw ValidationError("“\(host)” is no host name.")
    }
    if let port { server.port = port }
    if tls == TLSChoice.none, !server.isLoopback {
      throw ValidationError("--\(kind)-tls none is for servers on this machine only.")
    }
    return server
  }
}
