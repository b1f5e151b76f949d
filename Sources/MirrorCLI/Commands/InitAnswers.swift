import ArgumentParser
import Foundation
import MailCore
import Settings
import Setup

extension SecretStore: ExpressibleByArgument {}
extension SignIn: ExpressibleByArgument {}

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
  @Option(
    help: "Where to keep the password: pass, secret-tool, keychain, gpg, systemd-creds, file.")
  var passwordStore: SecretStore?
  @Option(help: "Log in by OAuth2: google, microsoft, yahoo or custom.")
  var oauth: ProviderChoice?
  @Option(help: "How to sign in: with the browser, by a code (device), or later.")
  var signIn: SignIn?
  @Option(help: ArgumentHelp("For OAuth2.", valueName: "id"))
  var clientId: String?
  @Option(
    help: ArgumentHelp("File with its client secret, mode 0600.", valueName: "file"),
    completion: .file())
  var clientSecretFile: String?
  @OptionGroup var addresses: OAuthAddresses
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
    case google, microsoft, yahoo, custom
  }

  func validate() throws {
    let passwords = [passwordCommand != nil, passwordFile != nil, passwordStore != nil]
    if (passwords + [oauth != nil]).count(where: { $0 }) > 1 {
      throw ValidationError(
        "--password-command, --password-file, --password-store and --oauth exclude each other.")
    }
    if oauth != nil, clientId == nil { throw ValidationError("--oauth needs --client-id.") }
    try addresses.validate(isCustom: oauth == .custom)
    if signIn != nil, passwords.contains(true) {
      throw ValidationError("--sign-in is for OAuth2, which needs no password.")
    }
    if clientId != nil, passwords.contains(true) {
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
    (given.store, given.signIn) = (passwordStore, signIn)
    if let oauth, let clientId, let provider = OAuthSettings.Provider(rawValue: oauth.rawValue) {
      var settings = OAuthSettings(provider: provider, clientID: clientId)
      addresses.write(into: &settings, caFile: given.caFile)
      given.credential = .oauth(settings)
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
