import CLISupport
import Foundation
import IMAPClient
import IMAPWire
import MailCore
import Settings
import Transport

/// One account's server, step by step: name, connection, TLS, log-in, what it can do, its mailboxes.
///
/// Blocks; runs on a thread of its own. The first step that fails ends it: the rest would fail for the same reason.
struct ServerExamination {
  let account: AccountSettings
  let credentials: Credentials
  let interrupt: Interrupt
  let wireLog: WireLog?

  func findings() -> [Finding] {
    var findings = [names()]
    guard findings.allSatisfy({ $0.state != .wrong }) else { return findings }
    let probe = ServerProbe(
      account: account, credentials: credentials, interrupt: interrupt, wireLog: wireLog)
    do {
      let secret = try probe.credentials.secret()
      if !secret.isEmpty { findings.append(.fine("password", Self.source(account.imap.secret))) }
    } catch {
      return findings + [.wrong("password", error)]
    }
    findings += converse(probe)
    return findings
  }

  private static func source(_ source: SecretSource) -> String {
    switch source {
    case .password: "stands in the configuration"
    case .file(let path): "read from \(path)"
    case .command: "the command gave one"
    case .none: "an access token of mirror auth"
    }
  }

  private func converse(_ probe: ServerProbe) -> [Finding] {
    var findings: [Finding] = []
    let session: IMAPSession
    do {
      session = try probe.openSession()
    } catch {
      return connection(probe) + [Self.wrong(error, reached: probe.stream != nil)]
    }
    defer { session.logout() }
    findings += connection(probe)
    findings.append(.fine("log-in", "as \(account.imap.user)"))
    do {
      let listings = try session.discover()
      findings += ServerAbilities(session: session).findings()
      findings += MailboxExamination(account: account, listings: listings).findings()
    } catch {
      findings.append(Self.wrong(error, reached: true))
    }
    return findings
  }

  /// DNS alone, to tell a wrong name from a server that is down.
  private func names() -> Finding {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(account.imap.host, nil, &hints, &list)
    guard status == 0 else {
      let reason = String(cString: gai_strerror(status))
      return .wrong(
        "name", "\(account.imap.host) cannot be resolved: \(reason).",
        "Check host, and that you are online.", .unreachable)
    }
    defer { freeaddrinfo(list) }
    var families: [Int32] = []
    var entry = list
    while let address = entry {
      families.append(address.pointee.ai_family)
      entry = address.pointee.ai_next
    }
    let six = families.count { $0 == AF_INET6 }
    return .fine(
      "name",
      "\(account.imap.host) has \(Quantities.count(families.count, "address", "addresses"))"
        + (six > 0 ? ", \(six) of IPv6" : ""))
  }

  private func connection(_ probe: ServerProbe) -> [Finding] {
    guard let stream = probe.stream else { return [] }
    let reached = Finding.fine("connection", "\(stream.endpoint) answers")
    guard let tls = stream.tls else {
      guard account.imap.tls == .none else { return [reached] }
      return [
        reached, .notice("tls", "none, as configured: the connection stays on this machine."),
      ]
    }
    return [reached, Self.certificate(tls)]
  }

  static func certificate(_ tls: TLSInfo, now: Date = Date()) -> Finding {
    let words = "\(tls.version), \(tls.cipher)"
    guard let expires = tls.certificate?.expires else { return .fine("tls", words) }
    let days = Int((Double(expires) - now.timeIntervalSince1970) / 86_400)
    let whole = "\(words), certificate good for \(Quantities.count(days, "day"))"
    if days < 14 {
      return .notice("tls", whole + ".", "The server's operator has to renew it in time.")
    }
    return .fine("tls", whole)
  }

  /// An error of the way to the server, or of its answers.
  private static func wrong(_ error: any Error, reached: Bool) -> Finding {
    guard let error = error as? any Explained else {
      return .wrong("server", "failed: \(type(of: error)).", nil)
    }
    let finding = Finding.wrong(reached ? "log-in" : "connection", error)
    guard let transport = error as? TransportError else { return finding }
    switch transport {
    case .certificate, .protocolTooOld, .handshake, .notTLS, .bytesBeforeTLS, .trustFile:
      return .wrong("tls", error)
    default: return finding
    }
  }
}
