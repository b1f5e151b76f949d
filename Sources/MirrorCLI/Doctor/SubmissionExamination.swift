import CLISupport
import MailCore
import Outbox
import SMTPClient
import SMTPWire
import Settings
import Transport

/// One account's submission server, up to where a message could be handed over; none is.
///
/// Blocks; runs on a thread of its own.
struct SubmissionExamination {
  let server: ServerSettings
  let credentials: Credentials
  let interrupt: Interrupt
  let wireLog: WireLog?

  func findings() -> [Finding] {
    let way = ConnectionExamination(server: server, prefix: "smtp-")
    let name = way.name()
    guard name.state != .wrong else { return [name] }
    do throws(SettingsError) {
      _ = try credentials.secret()
    } catch {
      return [name, .wrong("smtp-password", error)]
    }
    let probe = SubmissionProbe(
      server: server, credentials: credentials, interrupt: interrupt, wireLog: wireLog)
    do {
      let session = try probe.openSession()
      defer { session.quit() }
      return [name] + way.connection(probe.stream) + [
        .fine("smtp-log-in", "as \(server.user)"),
        Self.sending(session.extensions, copies: SentCopyRule(server)),
      ]
    } catch {
      return [name] + way.connection(probe.stream)
        + [way.wrong(error, reached: probe.stream != nil)]
    }
  }

  /// What the server takes, and who files the copy in Sent.
  static func sending(_ extensions: ServerExtensions, copies: SentCopyRule) -> Finding {
    var words = [
      extensions.maximumSize.map {
        "messages of up to \(Quantities.bytes(Int64(clamping: $0)))"
      } ?? "messages of any size"
    ]
    let others = [
      (extensions.pipelining, "PIPELINING"), (extensions.chunking, "CHUNKING"),
      (extensions.eightBit, "8BITMIME"), (extensions.utf8, "SMTPUTF8"), (extensions.dsn, "DSN"),
    ].filter(\.0).map(\.1)
    if !others.isEmpty { words.append(others.joined(separator: ", ")) }
    words.append(
      copies == .provider ? "the provider files copies" : "mirror files copies in Sent")
    return .fine("sending", words.joined(separator: "; "))
  }
}
