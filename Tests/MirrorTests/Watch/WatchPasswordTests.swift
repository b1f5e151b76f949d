import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A password that is changed at the server, which lets sessions go on.
@Suite(.onWaitingThreads, .enabled(if: SendScenario.isPossible && Machine.hasDovecot), .serialized)
struct WatchPasswordTests {
  /// From now on the server refuses the password that the watch has.
  private func changePassword(of user: String, _ proxy: TCPProxy) {
    func told(_ password: String) -> String {
      Data("\0\(user)\0\(password)".utf8).base64EncodedString()
    }
    let (right, wrong) = (told("pw"), told("no"))
    proxy.conditions.changeUp = { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      return text.contains(right)
        ? Array(text.replacingOccurrences(of: right, with: wrong).utf8) : bytes
    }
  }

  @Test func `messages cost no refused log-in while sessions go on, and then one, told once`()
    throws
  {
    let scenario = try SendScenario()
    let proxy = try TCPProxy(to: scenario.server.dovecot.port)
    let text = String(decoding: try readFile(scenario.mirror.configuration), as: UTF8.self)
    try writeFile(
      scenario.mirror.configuration,
      text.replacingOccurrences(
        of: "port = \(scenario.server.dovecot.port)", with: "port = \(proxy.port)\nauth = \"plain\""
      ))
    let watch = try Child(
      scenario.mirror.command(["watch", "--format", "jsonl"]),
      environment: scenario.mirror.environment)
    func wait(_ what: String, until isSo: () throws -> Bool) throws {
      let end = monotonicSeconds() + WatchStage.hanging
      while try !isSo(), monotonicSeconds() < end { pause(0.05) }
      try #require(try isSo(), "\(what)\n\(watch.outputSoFar)\n\(watch.errorsSoFar)")
    }
    func state() -> String? {
      watch.outputSoFar.split(separator: "\n").last { $0.contains("\"state\"") }.map(String.init)
    }
    func logIns() -> Int { proxy.commands(named: ["AUTHENTICATE", "LOGIN"]).count }
    let client = try scenario.server.dovecot.client(scenario.user)
    func copies() throws -> Int { (try? client.messages(in: "Sent").count) ?? 0 }
    func send(_ number: Int) throws {
      let recipient = SendScenario.newUser()
      try scenario.sendmail(
        "To: \(recipient)@example.org\nSubject: m\(number)\n\nHello.\n", "\(recipient)@example.org")
    }
    func sent() -> Int { watch.outputSoFar.components(separatedBy: "\"event\":\"sent\"").count - 1 }

    try wait("it listens") { state()?.contains("\"listening\"") == true }
    try send(0)
    try wait("the copy is filed") { try copies() == 1 }
    try wait("it rests") { state()?.contains("\"listening\"") == true }
    changePassword(of: scenario.user, proxy)
    let before = logIns()
    for number in 1...3 {
      try send(number)
      try wait("copy \(number) is filed") { try copies() == number + 1 }
      try wait("it rests") { state()?.contains("\"listening\"") == true }
    }
    #expect(logIns() == before)

    proxy.cutAll()
    try wait("it is told") { state()?.contains("\"refused\"") == true }
    // A run may have been under way beside the line.
    let refused = logIns()
    #expect(refused > before && refused <= before + 2)
    for number in 4...6 {
      try send(number)
      try wait("message \(number) leaves") { sent() == number + 1 }
    }
    pause(3)
    #expect(logIns() == refused)
    let told = watch.errorsSoFar.split(separator: "\n").filter { $0.contains("refused") }
    #expect(told.count == 1, "\(watch.errorsSoFar)")

    proxy.conditions.changeUp = nil
    try #require(try scenario.mirror.run(["pull"]).ending == .exited(77), "timers do not try it")
    try FileManager.default.removeItem(
      atPath: scenario.mirror.home + "/.local/state/mirror/refused/personal.imap")
    watch.signal(SIGUSR1)
    try wait("the other copies are filed, once") { try copies() == 7 }
    pause(1)
    #expect(try copies() == 7)
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }

  @Test func `where a log-in was refused, the configuration is read again`() throws {
    let scenario = try SendScenario()
    let right = String(decoding: try readFile(scenario.mirror.configuration), as: UTF8.self)
    try writeFile(
      scenario.mirror.configuration,
      right.replacingOccurrences(of: "password = \"pw\"", with: "password = \"no\""))
    let watch = try Child(
      scenario.mirror.command(["watch", "--format", "jsonl"]),
      environment: scenario.mirror.environment)
    func wait(for state: String) throws {
      let end = monotonicSeconds() + WatchStage.hanging
      func isSo() -> Bool {
        watch.outputSoFar.split(separator: "\n").last { $0.contains("\"state\"") }?
          .contains("\"\(state)\"") == true
      }
      while !isSo(), monotonicSeconds() < end { pause(0.05) }
      try #require(isSo(), "\(state)\n\(watch.outputSoFar)\n\(watch.errorsSoFar)")
    }
    try wait(for: "refused")
    try writeFile(scenario.mirror.configuration, right)
    watch.signal(SIGUSR1)
    try wait(for: "listening")
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }
}
