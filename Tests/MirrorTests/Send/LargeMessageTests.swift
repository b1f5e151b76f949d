import Foundation
import MailTestKit
import Testing

/// Messages that are larger than the server takes: refused at the right moment, with words, and sent to nobody.
@Suite(.enabled(if: SendScenario.isPossible)) struct LargeMessageTests {
  /// Lines of a base64 body, so many bytes in all.
  private func write(_ bytes: Int, to path: String) throws {
    let script = """
      { printf 'Subject: large\\nMIME-Version: 1.0\\nContent-Transfer-Encoding: base64\\n\\n'
        yes QUJDREVGR0hJQUJDREVGR0hJQUJDREVGR0hJQUJDREVGR0hJQUJDREVGR0hJQUJDREVGR0hJ | head -c $1
        echo; } >"$0"
      """
    try runSuccessfully(["sh", "-c", script, path, "\(bytes)"])
  }

  /// - Returns: the program's largest size in memory as well, in KiB.
  private func sendmail(_ send: SendScenario, file: String, _ recipient: String) throws -> (
    outcome: Outcome, peak: Int
  ) {
    let report = send.mirror.home + "/peak"
    let outcome = try run(
      ["sh", "-c", "exec \"$@\" < \"$0\"", file, "time", "-f", "%M", "-o", report]
        + send.mirror.command(["sendmail", "-i", recipient]),
      environment: send.mirror.environment, limit: 300)
    let text = try String(contentsOfFile: report, encoding: .utf8)
    return (outcome, try #require(text.split(separator: "\n").last.flatMap { Int($0) }))
  }

  @Test
  func `over the server's SIZE it fails before a byte of it leaves, and the next is not taken`()
    throws
  {
    let postfix = try PostfixServer(settings: "message_size_limit = 26214400\n")
    defer { postfix.stop() }
    let send = try SendScenario(server: postfix)
    let bob = SendScenario.newUser()
    let proxy = try TCPProxy(to: postfix.port)
    try send.mirror.configure {
      $0.imap = $0.imap.replacing("port = \(postfix.port)", with: "port = \(proxy.port)")
    }
    let path = send.mirror.home + "/large"
    try write(200_000_000, to: path)
    // Nobody has asked the server yet.
    let queued = try sendmail(send, file: path, "\(bob)@example.org")
    #expect(queued.outcome.status == 0, "\(queued.outcome.summary)")
    #expect(queued.peak < 64 * 1024, "\(queued.peak) KiB")
    #expect(try send.sendmail("Subject: small\n\nx\n", "\(bob)@example.org").status == 0)
    for _ in 0..<2 {
      let (pushed, peak) = try send.mirror.peakMemory(["push"])
      #expect(pushed.status == 1, "\(pushed.summary)")
      #expect(
        pushed.errorText.contains("has 20") && pushed.errorText.contains("takes 26 MB"),
        "\(pushed.summary)")
      #expect(peak < 64 * 1024, "\(peak) KiB")
    }
    #expect(proxy.bytesUp < 10_000, "\(proxy.bytesUp)")
    let entries = try send.outbox("--all")
    #expect(entries.compactMap { $0["state"] as? String } == ["failed", "sent"])
    #expect(entries.first?["attempts"] as? Int == 1)
    // By now it is known what the server takes.
    try write(30_000_000, to: path)
    let refused = try sendmail(send, file: path, "\(bob)@example.org")
    #expect(refused.outcome.status == 65, "\(refused.outcome.summary)")
    #expect(refused.outcome.errorText.contains("26214400"), "\(refused.outcome.summary)")
    #expect(refused.peak < 64 * 1024, "\(refused.peak) KiB")
    #expect(try send.outbox("--all").count == 2)
    let outbox = send.mirror.account + "/.mirror/outbox/tmp"
    #expect(try FileManager.default.contentsOfDirectory(atPath: outbox).isEmpty)
    try send.server.drain()
    #expect(try send.server.arrived(for: bob, atLeast: 1).count == 1)
    #expect(try send.server.dovecot.client(send.user).messages(in: "Sent").count == 1)
  }

  /// Either of the ways in which it can leave. What a debug build, or another system library, takes by itself does not
  /// count, so a small message sets the measure.
  @Test(arguments: ["", "chunking"])
  func `a message of 100 MB takes hardly more memory than a small one`(hidden: String) throws {
    let postfix = try PostfixServer(settings: "smtpd_discard_ehlo_keywords = \(hidden)\n")
    defer { postfix.stop() }
    let send = try SendScenario(server: postfix, smtp: "sent-copy = \"server\"")
    let bob = SendScenario.newUser()
    let path = send.mirror.home + "/message"
    var peaks: [(accepted: Int, sent: Int)] = []
    for size in [1000, 100_000_000] {
      try write(size, to: path)
      let queued = try sendmail(send, file: path, "\(bob)@example.org")
      #expect(queued.outcome.status == 0, "\(queued.outcome.summary)")
      let (pushed, peak) = try send.mirror.peakMemory(["push"])
      #expect(pushed.status == 0, "\(pushed.summary)")
      peaks.append((queued.peak, peak))
    }
    #expect(peaks[1].accepted - peaks[0].accepted < 4 * 1024, "\(peaks) KiB")
    #expect(peaks[1].sent - peaks[0].sent < 4 * 1024, "\(peaks) KiB")
    #expect(try send.outbox("--all").map { $0["state"] as? String } == ["sent", "sent"])
  }

  /// A server that says too late what it takes: at a chunk, or at the end.
  @Test(arguments: ["size", "size, chunking"])
  func `a server that refuses it in the middle is heard, and never asked again`(hidden: String)
    throws
  {
    let postfix = try PostfixServer(
      settings: "message_size_limit = 26214400\nsmtpd_discard_ehlo_keywords = \(hidden)\n")
    defer { postfix.stop() }
    let send = try SendScenario(server: postfix)
    let bob = SendScenario.newUser()
    let proxy = try TCPProxy(to: postfix.port)
    try send.mirror.configure {
      $0.imap = $0.imap.replacing("port = \(postfix.port)", with: "port = \(proxy.port)")
    }
    let path = send.mirror.home + "/large"
    try write(60_000_000, to: path)
    #expect(try sendmail(send, file: path, "\(bob)@example.org").outcome.status == 0)
    #expect(try send.sendmail("Subject: small\n\nx\n", "\(bob)@example.org").status == 0)
    let (pushed, peak) = try send.mirror.peakMemory(["push"])
    #expect(pushed.status == 1, "\(pushed.summary)")
    #expect(pushed.errorText.contains("5.3.4"), "\(pushed.summary)")
    #expect(peak < 64 * 1024, "\(peak) KiB")
    let sent = proxy.bytesUp
    #expect(hidden == "size" ? sent < 30_000_000 : sent > 60_000_000, "\(sent)")
    #expect(try send.push().status == 1)
    #expect(proxy.bytesUp - sent < 10_000)
    let states = try send.outbox("--all").compactMap { $0["state"] as? String }
    #expect(states == ["failed", "sent"])
    try send.server.drain()
    #expect(try send.server.arrived(for: bob, atLeast: 1).count == 1)
    #expect(try send.server.dovecot.client(send.user).messages(in: "Sent").count == 1)
  }
}
