import MailCore
import MailTestKit
import Remote
import Settings
import Synchronization
import Testing
import Transport
import Watch
import WatchPlan

@testable import MirrorCLI

@Suite struct AccountLineTests {
  /// Has IDLE, and INBOX alone.
  private func server() throws -> ScriptedServer {
    try ScriptedServer { session in
      session.send("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready")
      while let (tag, text) = session.command() {
        switch text.split(separator: " ").first {
        case "AUTHENTICATE": session.send("\(tag) OK [CAPABILITY IMAP4rev1 IDLE] in")
        case "EXAMINE":
          session.send("\(tag) " + (text.contains("INBOX") ? "OK [READ-ONLY] done" : "NO what"))
        case "IDLE": session.send("+ idling")
        default: session.send("\(tag) BAD what")
        }
      }
    }
  }

  @Test(
    arguments: [
      (["Imbox", "INBOX", "Imbax"], .idle, ["Imbox", "Imbax"]),
      (["Imbox", "Imbax"], .poll, ["Imbox", "Imbax"]),
    ] as [([String], ListeningWay, [String])])
  func `a mailbox that cannot be opened is told, and the next one listened to`(
    mailboxes: [String], way: ListeningWay, told: [String]
  ) async throws {
    let server = try server()
    let settings = ServerSettings(
      host: "localhost", port: server.port, tls: .none, user: "u", auth: .plain,
      secret: .password(Secret("pw")))
    let factory = ConnectionFactory(
      server: settings, credentials: Credentials(for: settings), interrupt: Interrupt(),
      wireLog: nil)
    let heard = Heard()
    let line = AccountLine(
      factory, mailboxes: mailboxes, connections: 4, failed: { _ in },
      isClosed: { name in heard.closed.withLock { $0.append(name.text) } })
    defer { line.close() }
    line.open { news in heard.news.withLock { $0.append(news) } }
    for _ in 0..<3000 where !heard.has(told.count) { try await Task.sleep(for: .milliseconds(20)) }
    #expect(heard.news.withLock { $0 } == [.listening(way)])
    #expect(heard.closed.withLock { $0 } == told)
  }
}

private final class Heard: Sendable {
  let news = Mutex<[LineNews]>([])
  let closed = Mutex<[String]>([])

  func has(_ count: Int) -> Bool {
    closed.withLock { $0.count } == count && !news.withLock { $0.isEmpty }
  }
}
