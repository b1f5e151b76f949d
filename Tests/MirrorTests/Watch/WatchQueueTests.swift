import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Queued messages while an account is watched.
@Suite(.onWaitingThreads, .enabled(if: SendScenario.isPossible && Machine.hasDovecot), .serialized)
struct WatchQueueTests {
  private static func message(_ token: String, to recipient: String) -> String {
    "To: \(recipient)@example.org\nSubject: \(token)\n\nHello.\n"
  }

  private func watch(_ scenario: SendScenario) throws -> Child {
    let watch = try Child(
      scenario.mirror.command(["watch", "--format", "jsonl"]),
      environment: scenario.mirror.environment)
    try wait(watch, for: "\"listening\"")
    return watch
  }

  private func wait(_ watch: Child, for words: String, limit: Double = WatchStage.hanging) throws {
    let end = monotonicSeconds() + limit
    while !watch.outputSoFar.contains(words), monotonicSeconds() < end { pause(0.01) }
    try #require(
      watch.outputSoFar.contains(words), "\(watch.outputSoFar)\n\(watch.errorsSoFar)")
  }

  @Test func `a queued message leaves at once, and its copy is in Sent, once`() throws {
    let scenario = try SendScenario()
    let watch = try watch(scenario)
    let recipient = SendScenario.newUser()
    try scenario.sendmail(Self.message("leaves", to: recipient), "\(recipient)@example.org")
    try wait(watch, for: "\"event\":\"sent\"")
    #expect(watch.outputSoFar.contains("\(recipient)@example.org"))
    let client = try scenario.server.dovecot.client(scenario.user)
    func copies() throws -> Int {
      try client.messages(in: "Sent").count { contains($0.bytes, Array("leaves".utf8)) }
    }
    #expect(try eventually { try copies() > 0 })
    // A second one would follow soon.
    pause(3)
    #expect(try copies() == 1)
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }

  @Test func `an account that no pull could make sends what is queued after the watch began`()
    throws
  {
    let scenario = try SendScenario()
    let proxy = try TCPProxy(to: scenario.server.dovecot.port)
    proxy.conditions.refuses = true
    let text = String(decoding: try readFile(scenario.mirror.configuration), as: UTF8.self)
    try writeFile(
      scenario.mirror.configuration,
      text.replacingOccurrences(
        of: "port = \(scenario.server.dovecot.port)", with: "port = \(proxy.port)"))
    let watch = try Child(
      scenario.mirror.command(["watch", "--format", "jsonl"]),
      environment: scenario.mirror.environment)
    try wait(watch, for: "\"retry-scheduled\"")
    let recipient = SendScenario.newUser()
    try scenario.sendmail(Self.message("first", to: recipient), "\(recipient)@example.org")
    try wait(watch, for: "\"event\":\"sent\"")
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }

  @Test func `what could not be sent is tried again when its time comes`() throws {
    let scenario = try SendScenario(smtp: "")
    let proxy = try TCPProxy(to: scenario.server.port)
    let text = String(decoding: try readFile(scenario.mirror.configuration), as: UTF8.self)
    try writeFile(
      scenario.mirror.configuration,
      text.replacingOccurrences(
        of: "port = \(scenario.server.port)", with: "port = \(proxy.port)"))
    proxy.conditions.refuses = true
    let watch = try watch(scenario)
    let recipient = SendScenario.newUser()
    try scenario.sendmail(Self.message("later", to: recipient), "\(recipient)@example.org")
    let end = monotonicSeconds() + WatchStage.hanging
    while proxy.connections == 0, monotonicSeconds() < end { pause(0.05) }
    #expect(proxy.connections > 0)
    proxy.conditions.refuses = false
    try wait(watch, for: "\"event\":\"sent\"")
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }

  @Test func `a sending server that refuses the log-in leaves the line for new mail open`() throws {
    let refusing = try ScriptedServer { session in
      session.send("220 refusing")
      while let (word, _) = session.command() {
        switch word.uppercased() {
        case "EHLO":
          session.send("250-refusing")
          session.send("250 AUTH PLAIN")
        case "AUTH": session.send("535 5.7.8 no")
        default: return session.send("221 bye")
        }
      }
    }
    let scenario = try SendScenario()
    let text = String(decoding: try readFile(scenario.mirror.configuration), as: UTF8.self)
    try writeFile(
      scenario.mirror.configuration,
      text.replacingOccurrences(
        of: "port = \(scenario.server.port)", with: "port = \(refusing.port)"))
    let watch = try watch(scenario)
    try scenario.sendmail(Self.message("refused", to: "somebody"), "somebody@example.org")
    try wait(watch, for: "\"problem\"")
    let client = try scenario.server.dovecot.client(scenario.user)
    for number in 0..<2 {
      try client.append(SampleMessage(token: "after\(number)"), to: "INBOX")
      let end = monotonicSeconds() + WatchStage.hanging
      while monotonicSeconds() < end,
        watch.outputSoFar.components(separatedBy: "\"arrived\"").count < number + 2
      { pause(0.05) }
      #expect(watch.outputSoFar.components(separatedBy: "\"arrived\"").count == number + 2)
    }
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }
}
