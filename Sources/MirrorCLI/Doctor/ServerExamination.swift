import CLISupport
import IMAPClient
import IMAPWire
import MailCore
import Settings
import Setup
import Transport

/// One account's IMAP server, step by step: name, connection, TLS, log-in, what it can do, its mailboxes.
///
/// Blocks; runs on a thread of its own. The first step that fails ends it: the rest would fail for the same reason.
struct ServerExamination {
  let account: AccountSettings
  let credentials: Credentials
  let interrupt: Interrupt
  let wireLog: WireLog?

  private var way: ConnectionExamination { ConnectionExamination(server: account.imap) }

  func findings() -> [Finding] {
    let name = way.name()
    guard name.state != .wrong else { return [name] }
    var findings = [name]
    do throws(SettingsError) {
      let secret = try credentials.secret()
      if !secret.isEmpty { findings.append(.fine("password", Self.source(account.imap.secret))) }
    } catch {
      return findings + [.wrong("password", error)]
    }
    return findings + converse()
  }

  private static func source(_ source: SecretSource) -> String {
    switch source {
    case .password: "stands in the configuration"
    case .file(let path): "read from \(path)"
    case .command: "the command gave one"
    case .none: "an access token of mirror auth"
    }
  }

  private func converse() -> [Finding] {
    let probe = ServerProbe(
      account: account, credentials: credentials, interrupt: interrupt, wireLog: wireLog)
    let session: IMAPSession
    do {
      session = try probe.openSession()
    } catch {
      return way.connection(probe.stream) + [way.wrong(error, reached: probe.stream != nil)]
        + hints(error)
    }
    defer { session.logout() }
    var findings = way.connection(probe.stream)
    findings.append(.fine("log-in", "as \(account.imap.user)"))
    do {
      let listings = try session.discover()
      findings += ServerAbilities(session: session).findings()
      findings += MailboxExamination(account: account, listings: listings).findings()
      findings += session.alerts.map { .notice("server", "says: \($0)") }
    } catch {
      findings.append(way.wrong(error, reached: true))
    }
    return findings
  }

  /// What is known of this provider where it refused the log-in.
  private func hints(_ error: any Error) -> [Finding] {
    switch error {
    case IMAPError.loginRefused, IMAPError.noMechanism:
      let provider = KnownProviders.provider(
        imapHost: account.imap.host, smtpHost: account.smtp?.host,
        address: account.email ?? account.imap.user)
      return [provider?.refusalHint(user: account.imap.user)].compactMap(\.self).map {
        .notice("log-in", $0)
      }
    default: return []
    }
  }
}
