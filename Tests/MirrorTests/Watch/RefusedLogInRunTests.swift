import Foundation
import MailTestKit
import Testing

/// A log-in that was refused is not tried all day by timers.
@Suite(.onBlockingThreads) struct RefusedLogInRunTests {
  @Test func `timers knock once, until the password is another`() throws {
    let account = MailAccount(["INBOX"])
    account.deliver(SampleMessage(token: "m"), labelled: ["INBOX"])
    let server = try ModelServer(account, .modern)
    var settings = AccountSettings(port: server.port, user: "u")
    settings.password = "wrong-secret-word"
    let mirror = try MirrorProgram(settings)
    for number in 0..<3 {
      let outcome = try mirror.pull()
      #expect(outcome.ending == .exited(77), "\(outcome.summary)")
      #expect(number == 0 || outcome.errorText.contains("do not try it again"))
    }
    #expect(server.server.received(named: ["LOGIN", "AUTHENTICATE"]).count == 1)
    #expect(server.server.connections == 1)
    let status = try mirror.run(["status"])
    #expect(status.outputText.contains("refused the log-in of u at"), "\(status.summary)")
    let refused = mirror.home + "/.local/state/mirror/refused/personal.imap"
    #expect(exists(refused))
    let kept = String(decoding: try readFile(refused), as: UTF8.self)
    #expect(!kept.contains("wrong-secret-word"))

    // A person asks for an examination, and it is told what timers do.
    let doctor = try mirror.run(["doctor"])
    #expect(doctor.status == 77 && doctor.outputText.contains("do not try it again"))
    #expect(server.server.received(named: ["LOGIN", "AUTHENTICATE"]).count == 2)

    try mirror.configure { $0.password = "pw" }
    #expect(try mirror.pull().ending == .exited(0))
    #expect(!exists(refused))
    #expect(try mirror.run(["status"]).outputText.contains("refused") == false)
  }
}
