import Foundation
import MailTestKit
import Testing

/// What sending does to the other messages of an account, and what a restored or missing tree does to sending.
@Suite(.enabled(if: SendScenario.isPossible)) struct AfterSendingTests {
  private func file(_ path: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func names(_ folder: String) -> [String] {
    ["new", "cur"].flatMap {
      (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + $0)) ?? []
    }
  }

  private func append(_ text: String, to mailbox: String, _ send: SendScenario) throws {
    let bytes = Array(text.replacing("\n", with: "\r\n").utf8)
    try send.server.dovecot.client(send.user).append(
      SampleMessage(bytes: bytes, date: 1_700_000_000, flags: ["\\Seen"]), to: mailbox)
  }

  @Test
  func `the message that is answered, or passed on, gets its flag, and the server hears of it`()
    throws
  {
    let send = try SendScenario()
    for name in ["question", "news"] {
      try append(
        "From: bob@example.org\nSubject: \(name)\nMessage-ID: <\(name)@x.org>\n\nx\n", to: "INBOX",
        send)
    }
    #expect(try send.mirror.run(["pull"]).status == 0)
    #expect(
      try send.sendmail(
        "Subject: Re: question\nIn-Reply-To: <question@x.org>\n\nyes\n", "bob@example.org"
      ).status == 0)
    #expect(
      try send.sendmail(
        "Subject: Fwd: news\nReferences: <news@x.org>\n\nlook\n", "bob@example.org"
      ).status == 0)
    #expect(try send.push().status == 0)
    let flags = names(send.mirror.account + "/INBOX").map { $0.split(separator: ",").last ?? "" }
    #expect(Set(flags) == ["RS", "PS"], "\(flags)")
    #expect(try send.push().status == 0)
    let remote = try send.server.dovecot.client(send.user).messages(in: "INBOX")
    #expect(remote.contains { $0.flags.contains("\\Answered") })
    #expect(remote.contains { $0.flags.contains("$Forwarded") })
  }

  @Test func `a copy that the mail reader saved into Sent stays the only one`() throws {
    let send = try SendScenario()
    try append("Subject: old\nMessage-ID: <old@x.org>\n\nx\n", to: "Sent", send)
    #expect(try send.mirror.pull().status == 0)
    let message =
      "From: \(send.user)@example.org\nTo: bob@example.org\nSubject: own\n"
      + "Message-ID: <own@x.org>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n\nx\n"
    #expect(try send.sendmail(message, "-t").status == 0)
    try file(send.mirror.account + "/Sent/cur/1700000001.R1.host:2,S", message)
    for _ in 0..<2 {
      #expect(try send.push().status == 0)
      #expect(try send.mirror.pull().status == 0)
    }
    let remote = try send.server.dovecot.client(send.user).messages(in: "Sent")
    #expect(remote.count == 2, "\(remote.map { String(decoding: $0.bytes, as: UTF8.self) })")
    #expect(names(send.mirror.account + "/Sent").count == 2)
  }

  @Test func `our copy comes back as one message`() throws {
    let send = try SendScenario()
    try append("Subject: old\nMessage-ID: <old@x.org>\n\nx\n", to: "Sent", send)
    #expect(try send.mirror.pull().status == 0)
    #expect(try send.sendmail("Subject: new\n\nx\n", "bob@example.org").status == 0)
    for _ in 0..<2 {
      #expect(try send.push().status == 0)
      #expect(try send.mirror.pull().status == 0)
    }
    #expect(names(send.mirror.account + "/Sent").count == 2)
    #expect(try send.server.dovecot.client(send.user).messages(in: "Sent").count == 2)
  }

  @Test func `a draft is one no longer once it was sent`() throws {
    let send = try SendScenario()
    try append("Subject: other\nMessage-ID: <other@x.org>\n\nx\n", to: "Drafts", send)
    #expect(try send.mirror.pull().status == 0)
    let message =
      "From: \(send.user)@example.org\nTo: bob@example.org\nSubject: draft\n"
      + "Message-ID: <draft@x.org>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n\nx\n"
    try file(send.mirror.account + "/Drafts/cur/1700000001.R1.host:2,DS", message)
    #expect(try send.push().status == 0)
    let client = try send.server.dovecot.client(send.user)
    #expect(try client.messages(in: "Drafts").count == 2)
    #expect(try send.sendmail(message, "-t").status == 0)
    #expect(try send.push().status == 0)
    #expect(names(send.mirror.account + "/Drafts").count == 1)
    #expect(try send.push().status == 0)
    let left = try client.messages(in: "Drafts").map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(left.count == 1 && left.allSatisfy { $0.contains("Subject: other") })
  }

  /// State and tree of before the last pull, as a snapshot brings them back.
  private func rollBack(_ send: SendScenario) throws {
    let control = send.mirror.account + "/.mirror"
    let saved = control + "-saved"
    try FileManager.default.createDirectory(atPath: saved, withIntermediateDirectories: true)
    let state = try FileManager.default.contentsOfDirectory(atPath: control)
      .filter { $0.hasPrefix("state.") }
    for name in state {
      try FileManager.default.copyItem(atPath: control + "/" + name, toPath: saved + "/" + name)
    }
    try append("Subject: two\nMessage-ID: <2@x.org>\n\nx\n", to: "INBOX", send)
    #expect(try send.mirror.pull().status == 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: control)
    where name.hasPrefix("state.") {
      try FileManager.default.removeItem(atPath: control + "/" + name)
    }
    for name in state {
      try FileManager.default.moveItem(atPath: saved + "/" + name, toPath: control + "/" + name)
    }
  }

  @Test func `after a rollback of the tree nothing is sent until it is released`() throws {
    for isPulledFirst in [false, true] {
      let send = try SendScenario()
      let bob = SendScenario.newUser()
      try append("Subject: one\nMessage-ID: <1@x.org>\n\nx\n", to: "INBOX", send)
      #expect(try send.mirror.pull().status == 0)
      #expect(try send.sendmail("Subject: queued\n\nx\n", "\(bob)@example.org").status == 0)
      try rollBack(send)
      if isPulledFirst { #expect(try send.mirror.pull().status == 0) }
      let pushed = try send.push()
      #expect(pushed.status == 1, "\(pushed.summary)")
      let entry = try #require(try send.outbox().first)
      #expect(entry["state"] as? String == "held")
      #expect(try send.server.arrived(for: bob, atLeast: 0).isEmpty)
      #expect(
        try send.mirror.run(["outbox", "release", try #require(entry["id"] as? String)]).status == 0
      )
      _ = try send.mirror.pull()
      #expect(try send.push().status == 0)
      #expect(try send.server.arrived(for: bob, atLeast: 1).count == 1)
      // What is queued after a rollback that found nothing waiting is this tree's own.
      try rollBack(send)
      #expect(try send.mirror.pull().status == 0)
      #expect(try send.sendmail("Subject: later\n\nx\n", "\(bob)@example.org").status == 0)
      #expect(try send.push().status == 0)
      #expect(try send.server.arrived(for: bob, atLeast: 2).count == 2)
    }
  }

  @Test func `nothing is queued where the tree's disk is not there`() throws {
    let send = try SendScenario()
    let text = try String(contentsOfFile: send.mirror.configuration, encoding: .utf8)
    let moved = text.replacing(send.mirror.root, with: send.mirror.home + "/disk/Mail")
    try file(send.mirror.configuration, moved)
    let outcome = try send.sendmail("Subject: x\n\nx\n", "bob@example.org")
    #expect(outcome.status == 75, "\(outcome.summary)")
    #expect(!FileManager.default.fileExists(atPath: send.mirror.home + "/disk"))
  }

  @Test func `what was sent to oneself proves it where the answer was lost`() throws {
    let send = try SendScenario()
    let proxy = try TCPProxy(to: send.server.port)
    try send.mirror.configure {
      $0.imap = $0.imap.replacing("port = \(send.server.port)", with: "port = \(proxy.port)")
    }
    #expect(try send.sendmail("Subject: probe\n\nx\n", "\(send.user)@example.org").status == 0)
    #expect(try send.push().status == 0)
    let total = proxy.bytesDown
    #expect(
      try send.sendmail("Subject: probe 2\n\nx\n", "\(send.user)@example.org").status == 0)
    // Amid the answer to the dot, of which the last is QUIT's, if it is waited for at all.
    proxy.conditions.cutDown = total - 30
    let cut = try send.push()
    let states = try send.outbox("--all").compactMap { $0["state"] as? String }
    #expect(states == ["sent", "sent"], "\(states) \(cut.summary)")
    try send.server.drain()
    #expect(try send.server.arrived(for: send.user, atLeast: 2).count == 2)
  }
}
