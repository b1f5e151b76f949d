import Foundation
import MailTestKit
import Testing

/// Pushes of one account that run at once.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct SideBySideTests {
  /// The first is held at the server while it pushes the tree, another begins to send meanwhile, and is held, too.
  @Test func `of five pushes at once, the one that did the work ends with 0`() throws {
    let stage = try PushStage(.modern, count: 1)
    let mayStore = Locked(false)
    let mayEnd = Locked(false)
    let stored = Locked(0)
    stage.server.alter { command, replies in
      guard command.name == "UID STORE" else { return replies }
      stored.change { $0 += 1 }
      waitFor(mayStore)
      return replies
    }
    let ended = Locked(0)
    let server = try ScriptedServer { session in
      session.send("220 hi")
      while let line = session.receive() {
        switch String(decoding: line.prefix(4), as: UTF8.self).uppercased() {
        case "EHLO":
          session.send("250-here")
          session.send("250 AUTH PLAIN")
        case "AUTH": session.send("235 in")
        case "DATA":
          session.send("354 go on")
          while let line = session.receive(), line != Array(".".utf8) {}
          ended.change { $0 += 1 }
          waitFor(mayEnd)
          session.send("250 taken")
        case "QUIT": return session.send("221 till soon")
        default: session.send("250 ok")
        }
      }
    }
    try stage.mirror.configure {
      $0.imap = """

        [accounts.personal.smtp]
        host = "127.0.0.1"
        port = \(server.port)
        tls = "none"
        sent-copy = "server"
        """
    }
    let message = stage.mirror.home + "/message"
    try writeFile(message, "Subject: x\n\nx\n")
    let queued = try run(
      ["sh", "-c", "exec \"$@\" < \"$0\"", message]
        + stage.mirror.command(["sendmail", "bob@example.org"]),
      environment: stage.mirror.environment)
    #expect(queued.status == 0, "\(queued.summary)")
    try stage.reader.setFlags(stage.local("m0"), "F")

    let first = try stage.mirror.start("push")
    #expect(eventually { stored.value == 1 })
    let others = try (0..<4).map { _ in try stage.mirror.start("push") }
    #expect(eventually { ended.value == 1 })
    mayStore.value = true
    // Its own part is done, and what else it was asked for is being done by one of the others.
    #expect(
      eventually {
        stage.flags("m0") == ["\\Flagged"] && others.count(where: \.hasEnded) == 3
      })
    #expect(!first.hasEnded)
    mayEnd.value = true
    let outcome = try first.wait()
    #expect(outcome.status == 0, "\(outcome.summary)")
    let statuses = try others.map { try $0.wait().status }
    #expect(statuses == [75, 75, 75, 75])
    #expect(ended.value == 1 && stage.flags("m0") == ["\\Flagged"])
    try stage.push()
    #expect(ended.value == 1)
  }
}

private func waitFor(_ gate: Locked<Bool>) {
  _ = eventually { gate.value }
}
