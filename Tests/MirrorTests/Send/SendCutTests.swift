import Foundation
import MailTestKit
import Testing

/// The connection to the server cut at a byte, in either direction: each message is delivered once, or
/// parked as unknown; never twice, never lost.
@Suite(.enabled(if: SendScenario.isPossible)) struct SendCutTests {
  enum Direction: String, CaseIterable { case up, down }

  @Test(arguments: SendScenario.installed, Direction.allCases)
  func `cut at a byte, each message arrives once or is parked`(
    software: SendScenario.Software, direction: Direction
  ) throws {
    let whole = try Line(software)
    #expect(try whole.send.push().status == 0)
    let total = direction == .up ? whole.proxy.bytesUp : whole.proxy.bytesDown
    let isLong = ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] != nil
    // OutboxTests goes through every reply; few places are enough to show that a connection that breaks is no other.
    let step = isLong ? 1 : max(1, total / (software == .postfix ? 10 : 4))
    for number in stride(from: 1, through: total, by: step) {
      let line = try Line(software)
      var conditions = TCPProxy.Conditions()
      if direction == .up { conditions.cutUp = number } else { conditions.cutDown = number }
      line.proxy.conditions = conditions
      let cut = try line.send.push()
      #expect([0, 1, 69].contains(cut.status ?? -1), "\(direction) \(number): \(cut.summary)")
      line.proxy.conditions = TCPProxy.Conditions()
      let after = try line.send.push()
      try line.expectOnce(
        "\(software), cut \(direction) at \(number) of \(total): \(cut.summary) \(after.summary)")
    }
  }

  @Test func `a server that refuses connections is unreachable, and no attempt is lost`() throws {
    let line = try Line()
    line.proxy.conditions.refuses = true
    for _ in 0..<6 { #expect(try line.send.push().status == 69) }
    #expect(try line.send.outbox().allSatisfy { $0["attempts"] as? Int == 0 })
    line.proxy.conditions = TCPProxy.Conditions()
    #expect(try line.send.push().status == 0)
    try line.expectOnce("after refusals")
  }

  @Test func `two pushes at once send each message once`() throws {
    let line = try Line()
    line.proxy.conditions.delay = 0.05
    let first = try line.send.mirror.start("push")
    let second = try line.send.mirror.start("push")
    let statuses = [try first.wait().status, try second.wait().status]
    #expect(statuses.contains(0) && statuses.allSatisfy { $0 == 0 || $0 == 75 }, "\(statuses)")
    line.proxy.conditions = TCPProxy.Conditions()
    #expect(try line.send.push().status == 0)
    try line.expectOnce("after two pushes")
  }

  @Test func `stopped by SIGTERM, the next push sends what is left`() throws {
    for pause in [0.05, 0.2, 0.4, 0.7] {
      let line = try Line()
      line.proxy.conditions.delay = 0.05
      let child = try line.send.mirror.start("push")
      Thread.sleep(forTimeInterval: pause)
      child.signal(SIGTERM)
      let outcome = try child.wait()
      // Before the program listens for signals, they end it as they do any other.
      let isStopped =
        [0, 130, 143].contains(outcome.status ?? -1) || outcome.ending == .signalled(15)
      #expect(isStopped, "\(outcome.summary)")
      line.proxy.conditions = TCPProxy.Conditions()
      #expect(try line.send.push().status == 0, "an interrupt leaves nothing unknown")
      try line.expectOnce("stopped after \(pause) s")
    }
  }

  /// Two queued messages, and a proxy between their sender and the server.
  private struct Line {
    let send: SendScenario
    let proxy: TCPProxy
    let bob = SendScenario.newUser()

    init(_ software: SendScenario.Software = .postfix) throws {
      send = try SendScenario(on: software)
      proxy = try TCPProxy(to: send.server.port)
      let (old, new) = (send.server.port, proxy.port)
      try send.mirror.configure {
        $0.imap = $0.imap.replacing("port = \(old)", with: "port = \(new)")
      }
      for subject in ["one", "two"] {
        let outcome = try send.sendmail(
          "Subject: \(subject)\n\nx\n.\ny\n", "-i", "\(bob)@example.org")
        #expect(outcome.status == 0, "\(outcome.summary)")
      }
    }

    func expectOnce(_ place: String) throws {
      try send.server.drain()
      let states = try send.outbox("--all").compactMap { $0["state"] as? String }
      #expect(
        states.count == 2 && states.allSatisfy { $0 == "sent" || $0 == "unknown" },
        "\(place) \(states)")
      let wanted = states.count { $0 == "sent" }
      let texts = try send.server.arrived(for: bob, atLeast: wanted)
        .map { String(decoding: $0.bytes, as: UTF8.self) }
      for (subject, state) in zip(["one", "two"], states) {
        let copies = texts.count { $0.contains("Subject: \(subject)\r\n") }
        #expect(
          state == "sent" ? copies == 1 : copies <= 1, "\(place): \(subject) \(state) \(copies)")
      }
    }
  }
}
