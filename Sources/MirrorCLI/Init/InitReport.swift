import Settings
import Setup

/// What `mirror init --format json` prints: what was found, and what was done.
struct InitReport: Encodable, Sendable {
  struct Server: Encodable, Sendable {
    var host: String
    var port: Int
    var tls: String
    var user: String
    /// Who says so.
    var source: String

    init(_ found: Findings.Found) {
      let offer = found.offer
      (host, port, tls) = (offer.host, Int(offer.port), offer.tls.rawValue)
      (user, source) = (offer.user, found.origin.name)
    }
  }

  struct Folder: Encodable, Sendable {
    var name: String
    var role: String?
    var messages: Int?
    var bytes: Int64?
  }

  struct Lines: Encodable, Sendable {
    var program: String
    var file: String
    var lines: [String]
  }

  var email: String?
  var account: String?
  var provider: String?
  var imap: Server?
  var smtp: Server?
  /// Log-ins that worked.
  var checked: [String] = []
  var folders: [Folder]?
  var notes: [String] = []
  var config: String
  var root: String?
  var backup: String?
  /// The tables, where nothing was to be written.
  var would: String?
  var written = false
  var readers: [Lines]?

  /// Of a log-in by OAuth2; among the others in the document.
  var logInNotes: [String] = []

  private enum CodingKeys: String, CodingKey {
    case email, account, provider, imap, smtp, checked, folders, notes, config, root, backup, would
    case written, readers
  }

  init(config: String) { self.config = config }

  mutating func note(_ wizard: SetupWizard) {
    email = wizard.address?.description
    account = wizard.choices.account
    let (servers, found) = (wizard.servers, wizard.servers.findings)
    provider = found?.providerName
    notes = (found?.notes ?? []) + logInNotes
    // Before anybody agreed to them, what was found is told all the same.
    imap = (servers.imap ?? found?.imap).map { Server($0) }
    smtp = (servers.smtp ?? (servers.imap == nil ? found?.smtp : nil)).map { Server($0) }
    if let result = wizard.login.result {
      if result.imap == .fine { checked.append("imap") }
      if result.smtp == .fine { checked.append("smtp") }
      folders = result.folders.map {
        Folder(
          name: $0.name, role: $0.role?.rawValue, messages: $0.messages, bytes: $0.bytes)
      }
    }
  }
}
