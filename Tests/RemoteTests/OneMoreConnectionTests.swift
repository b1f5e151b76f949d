import Foundation
import IMAPClient
import IMAPWire
import MailCore
import MailTestKit
import Settings
import Testing
import Transport

@testable import Remote

/// Servers that say no more than NO where an account has as many connections as it may have.
@Suite struct OneMoreConnectionTests {
  private let directory =
    FileManager.default.temporaryDirectory.path + "/one-more-\(UUID().uuidString)"

  /// Lets in the first connection, and none beside or after it.
  private func server(_ refusal: String) throws -> ScriptedServer {
    try ScriptedServer { session in
      session.send("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready")
      while let (tag, text) = session.command() {
        switch text.split(separator: " ").first {
        case "AUTHENTICATE" where session.number == 0:
          session.send("\(tag) OK [CAPABILITY IMAP4rev1] in")
        case "AUTHENTICATE": session.send("\(tag) NO \(refusal)")
        default: session.send("\(tag) BAD what")
        }
      }
    }
  }

  private func factory(_ server: ScriptedServer) -> (ConnectionFactory, RefusedLogIn) {
    let settings = ServerSettings(
      host: "localhost", port: server.port, tls: .none, user: "u", auth: .plain,
      secret: .password(Secret("pw")))
    let memory = RefusedLogIn(
      account: "a", service: "imap", server: settings, directory: directory, isHeeded: true,
      derive: { $0 + $1 })
    let factory = ConnectionFactory(
      server: settings, credentials: Credentials(for: settings, refusedLogIn: memory),
      interrupt: Interrupt(), wireLog: nil)
    return (factory, memory)
  }

  @Test func `a bare NO is heard twice beside a session, and then only without it`() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = try server("no")
    let (factory, memory) = factory(server)
    func open() throws -> IMAPSession { try factory.openSession() }
    try { () throws in
      let first = try open()
      for _ in 0..<5 { #expect(throws: IMAPError.loginUnavailable("no")) { try open() } }
      #expect(server.connections == 3 && memory.since == nil)
      first.close()
    }()
    // What there is no other session for may be the secret's fault.
    #expect(throws: IMAPError.loginRefused("no")) { try open() }
    #expect(server.connections == 4 && memory.since != nil)
  }

  /// The password was changed at the provider, who lets sessions go on.
  @Test func `a refusal with a code means the secret, whatever goes on beside`() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = try server("[AUTHENTICATIONFAILED] no")
    let (factory, memory) = factory(server)
    let first = try factory.openSession()
    #expect(throws: IMAPError.loginRefused("no", hasCode: true)) { try factory.openSession() }
    #expect(memory.since != nil)
    // It is not tried again because the first one lives.
    for _ in 0..<3 { #expect(throws: SettingsError.self) { try factory.openSession() } }
    #expect(server.connections == 2)
    first.close()
  }
}
