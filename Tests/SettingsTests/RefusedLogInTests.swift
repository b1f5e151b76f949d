import Foundation
import MailCore
import Testing

@testable import Settings

struct RefusedLogInTests {
  private let directory =
    FileManager.default.temporaryDirectory.path + "/refused-\(UUID().uuidString)"

  private struct Refusal: Error {}

  private func server(
    _ secret: SecretSource, host: String = "localhost", auth: AuthenticationChoice = .auto
  ) -> ServerSettings {
    ServerSettings(host: host, port: 993, user: "me", auth: auth, secret: secret)
  }

  private func memory(_ server: ServerSettings, isHeeded: Bool = true) -> RefusedLogIn {
    RefusedLogIn(
      account: "work", service: "imap", server: server, directory: directory,
      isHeeded: isHeeded, derive: { $0.reversed() + $1 })
  }

  /// Whether the server was asked.
  private func logIn(
    _ server: ServerSettings, isHeeded: Bool = true, tokens: (any AccessTokenSource)? = nil,
    takes right: String
  ) -> (isAsked: Bool, error: (any Error)?) {
    let credentials = Credentials(
      for: server, tokens: tokens, refusedLogIn: memory(server, isHeeded: isHeeded))
    var isAsked = false
    do {
      try credentials.loggedIn(
        isRefusal: { $0 is Refusal },
        open: { used in
          let secret = try credentials.secret()
          used(secret)
          isAsked = true
          guard secret == Secret(right) else { throw Refusal() }
        })
      return (isAsked, nil)
    } catch {
      return (isAsked, error)
    }
  }

  @Test func `what was refused is not tried again, but by a person`() {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = server(.password(Secret("wrong")))
    #expect(memory(server).explanation == nil)
    #expect(logIn(server, takes: "right").isAsked)
    for _ in 0..<2 {
      let again = logIn(server, takes: "right")
      #expect(!again.isAsked)
      guard case .refusedBefore(let words) = again.error as? SettingsError else {
        Issue.record("\(String(describing: again.error))")
        return
      }
      #expect(words.exitStatus == .refused && words == memory(server).explanation)
    }
    #expect(logIn(server, isHeeded: false, takes: "right").isAsked)
    #expect(!logIn(server, takes: "right").isAsked)
  }

  @Test func `another secret is tried, and one that is taken ends it`() {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(logIn(server(.password(Secret("wrong"))), takes: "right").error != nil)
    let right = server(.password(Secret("right")))
    #expect(logIn(right, takes: "right").error == nil)
    #expect(memory(right).since == nil)
    // The server may have changed its mind.
    #expect(logIn(server(.password(Secret("wrong"))), takes: "wrong").isAsked)
  }

  /// It may have been one connection too many.
  @Test(arguments: [false, true])
  func `what another process was refused since this one was let in is tried once`(isMeant: Bool)
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = server(.password(Secret("pw")))
    let credentials = Credentials(for: server, refusedLogIn: memory(server))
    var asked = 0
    var right = "pw"
    func logIn() throws {
      try credentials.loggedIn(
        isRefusal: { $0 is Refusal },
        open: { used in
          let secret = try credentials.secret()
          used(secret)
          asked += 1
          guard secret == Secret(right) else { throw Refusal() }
        })
    }
    try logIn()
    #expect(self.logIn(server, takes: "another").isAsked)
    #expect(memory(server).since != nil)
    if isMeant { right = "another" }
    func isLetIn() -> Bool { (try? logIn()) != nil }
    #expect(isLetIn() != isMeant)
    #expect(asked == 2 && (memory(server).since != nil) == isMeant)
    #expect(isLetIn() != isMeant)
    #expect(asked == (isMeant ? 2 : 3))
  }

  @Test func `a command that prints again what was refused costs one log-in`() {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = server(.command(["echo", "wrong"]), auth: .xoauth2)
    let credentials = Credentials(for: server, refusedLogIn: memory(server))
    var asked = 0
    #expect(throws: Refusal.self) {
      try credentials.loggedIn(
        isRefusal: { $0 is Refusal },
        open: { used in
          used(try credentials.secret())
          asked += 1
          throw Refusal()
        })
    }
    #expect(asked == 1)
  }

  @Test func `other settings are tried`() {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(logIn(server(.password(Secret("x"))), takes: "right").error != nil)
    let elsewhere = server(.password(Secret("x")), host: "imap.example.org")
    #expect(memory(elsewhere).since == nil)
    #expect(logIn(elsewhere, takes: "x").isAsked)
  }

  @Test func `a file that a person puts right is read again`() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let path = directory + "/password"
    func write(_ text: String) {
      _ = FileManager.default.createFile(
        atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    }
    write("wrong\n")
    let server = server(.file(path))
    let credentials = Credentials(for: server, refusedLogIn: memory(server))
    var right = "right"
    func logIn() throws {
      try credentials.loggedIn(
        isRefusal: { $0 is Refusal },
        open: { used in
          let secret = try credentials.secret()
          used(secret)
          guard secret == Secret(right) else { throw Refusal() }
        })
    }
    #expect(throws: Refusal.self) { try logIn() }
    #expect(throws: SettingsError.self) { try logIn() }
    write("right\n")
    credentials.renew()
    #expect(throws: Never.self) { try logIn() }
    // It was put right before the server refused what was read of it.
    write("newer\n")
    right = "newer"
    #expect(throws: Never.self) { try logIn() }
  }

  private struct Grant: AccessTokenSource {
    let account = "work"
    var grant: String
    func accessToken(insteadOf refused: Secret?) throws(SettingsError) -> Secret {
      Secret(refused == nil ? "first" : "second")
    }
  }

  @Test func `tokens are refused until the person signs in again`() {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = server(.none, auth: .xoauth2)
    #expect(logIn(server, tokens: Grant(grant: "1"), takes: "none").isAsked)
    #expect(!logIn(server, tokens: Grant(grant: "1"), takes: "first").isAsked)
    #expect(logIn(server, tokens: Grant(grant: "2"), takes: "first").error == nil)
  }

  @Test func `no file holds the secret, and others cannot read it`() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let secret = "a long and secret word"
    let server = server(.password(Secret(secret)))
    #expect(logIn(server, takes: "right").error != nil)
    let facts = try FileManager.default.attributesOfItem(atPath: directory + "/work.imap")
    #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }
}
