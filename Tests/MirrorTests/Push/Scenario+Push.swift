import MailTestKit
import Testing

extension Scenario {
  /// Runs `mirror push` and expects this exit status.
  @discardableResult
  func push(
    _ status: Int32 = 0, _ arguments: String..., location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    proxy.forget()
    let outcome = try mirror.run(["push"] + arguments)
    #expect(
      outcome.ending == .exited(status), "\(outcome.summary) \(serverLog())",
      sourceLocation: location)
    return outcome
  }

  /// Expects that both directions have nothing more to do: promise 10.
  func expectSettled(location: SourceLocation = #_sourceLocation) throws {
    try push(location: location)
    #expect(proxy.changingCommands == [], "a second push does nothing", sourceLocation: location)
    // The first pull learns where the server's counters stand now; it asks for no message and touches no file.
    let before = TreeSnapshot(mirror.account, leavingOut: Self.isOfState)
    try pull(location: location)
    #expect(bodyFetches == [], "a pull after a push downloads nothing", sourceLocation: location)
    let after = TreeSnapshot(mirror.account, leavingOut: Self.isOfState)
    #expect(before.changes(to: after) == [], sourceLocation: location)
    try expectMirrored(location: location)
    try expectQuiet(location: location)
    try push(location: location)
    #expect(proxy.changingCommands == [], sourceLocation: location)
  }

  static func isOfState(_ path: String) -> Bool {
    isBookkeeping(path) || path == ".mirror/state.backup.db"
  }

  /// Where the server has this message.
  func places(_ token: String) throws -> [String] {
    try client.mailboxes().filter { mailbox in
      try client.messages(in: mailbox).contains { contains($0.bytes, Array("<\(token)@".utf8)) }
    }
  }

  func remote(_ token: String, in mailbox: String) throws -> ServerMessage? {
    try client.messages(in: mailbox).first { contains($0.bytes, Array("<\(token)@".utf8)) }
  }

  /// Bytes of messages that the last run sent.
  var appends: [String] { proxy.commands(named: ["APPEND"]) }
}
