import Foundation
import MailTestKit
import Testing

/// A mail reader saves its copy into Sent, the queue or the provider files one: there is to be one, here and there, in
/// whatever order things happen.
@Suite(.enabled(if: SendScenario.isPossible)) struct SentCopyTests {
  /// What the reader saved has a Bcc that was not sent, or is the very same.
  @Test(arguments: [false, true], [false, true])
  func `a copy saved after ours was filed becomes that message`(isPulled: Bool, hasBcc: Bool) throws
  {
    let desk = try SentDesk()
    let message = desk.message("late")
    try desk.queue(message)
    #expect(try desk.send.push().status == 0)
    #expect(try desk.remote().count == 1)
    if isPulled { #expect(try desk.send.mirror.pull().status == 0) }
    try desk.save(hasBcc ? "Bcc: eve@example.org\n" + message : message)
    for _ in 0..<2 {
      let pushed = try desk.send.push()
      #expect(pushed.status == 0, "\(pushed.summary)")
      #expect(try desk.remote().count == 1)
    }
    try desk.expectOne("late")
    #expect(try desk.local().first?.contains("Bcc:") == hasBcc)
    #expect(try desk.send.mirror.pull().status == 0)
    try desk.expectOne("late")
    try desk.expectQuiet()
  }

  @Test func `a copy saved before the message was sent goes up and stays the only one`() throws {
    let desk = try SentDesk()
    let message = desk.message("early")
    try desk.queue(message)
    try desk.save("Bcc: eve@example.org\n" + message)
    for _ in 0..<2 {
      #expect(try desk.send.push().status == 0)
      #expect(try desk.send.mirror.pull().status == 0)
    }
    try desk.expectOne("early")
    #expect(try desk.remote().first?.contains("Bcc: eve") == true)
    #expect(try desk.send.server.arrived(for: desk.bob, atLeast: 1).count == 1)
  }

  @Test func `the message follows the reader's file where a person deletes the pulled one`() throws
  {
    let desk = try SentDesk()
    let message = desk.message("pulled")
    try desk.queue(message)
    #expect(try desk.send.push().status == 0)
    #expect(try desk.send.mirror.pull().status == 0)
    try desk.save("Bcc: eve@example.org\n" + message)
    let pulled = try #require(desk.files().first { !$0.contains("reader") })
    try FileManager.default.removeItem(atPath: pulled)
    for _ in 0..<2 {
      #expect(try desk.send.push().status == 0)
      #expect(try desk.send.mirror.pull().status == 0)
    }
    try desk.expectOne("pulled")
    #expect(try desk.client().messages(in: "Trash").isEmpty)
  }

  @Test func `another text under the same Message-ID stays here, and is not sent beside ours`()
    throws
  {
    let desk = try SentDesk()
    let message = desk.message("text")
    try desk.queue(message)
    #expect(try desk.send.push().status == 0)
    try desk.save(message + "and more\n")
    for _ in 0..<2 {
      #expect(try desk.send.push().status == 0)
      #expect(try desk.send.mirror.pull().status == 0)
    }
    #expect(try desk.remote().count == 1)
    let local = try desk.local()
    #expect(local.count == 2 && local.contains { $0.contains("and more") }, "\(local)")
    try desk.expectQuiet()
  }

  @Test func `a copy in a folder that is not mirrored is none, since it never goes up`() throws {
    let desk = try SentDesk()
    try desk.send.mirror.configure { $0.sync += "\nfolders = [\"*\", \"!Sent\"]\n" }
    let message = desk.message("unmirrored")
    try desk.queue(message)
    try desk.save(message)
    for _ in 0..<2 { #expect(try desk.send.push().status == 0) }
    try desk.expectOne("unmirrored")
  }

  @Test func `flags of both sides come together where two copies become one`() throws {
    let desk = try SentDesk()
    let message = desk.message("flags")
    try desk.queue(message)
    #expect(try desk.send.push().status == 0)
    let client = try desk.client()
    let uid = try #require(try client.uids(in: "Sent").last)
    try client.store([uid], "+FLAGS", ["\\Answered"], in: "Sent")
    try desk.save(message, flags: "F")
    for _ in 0..<2 { #expect(try desk.send.push().status == 0) }
    try desk.expectOne("flags")
    let flags = try desk.client().messages(in: "Sent").last?.flags ?? []
    #expect(Set(flags).isSuperset(of: ["\\Answered", "\\Seen", "\\Flagged"]), "\(flags)")
    #expect(desk.files().first?.hasSuffix(":2,FRS") == true, "\(desk.files())")
  }

  // MARK: The provider's copy

  @Test func `where the provider files copies, the reader's waits for that one`() throws {
    let desk = try SentDesk(smtp: "sent-copy = \"server\"")
    let message = desk.message("provider")
    try desk.queue(message)
    try desk.save(message)
    #expect(try desk.send.push().status == 0)
    #expect(try desk.remote().isEmpty)
    #expect(try desk.send.server.arrived(for: desk.bob, atLeast: 1).count == 1)
    try desk.append("Received: from a by b; today\n" + message)
    #expect(try desk.send.mirror.pull().status == 0)
    for _ in 0..<2 { #expect(try desk.send.push().status == 0) }
    try desk.expectOne("provider")
    try desk.expectQuiet()
  }

  /// Outlook.com gives what it sends a Message-ID of its own, and may write the body anew.
  @Test(.enabled(if: SentDesk.canShiftClocks), arguments: [false, true], [false, true])
  func `the provider's copy under another Message-ID stays the only one there`(
    isPulled: Bool, hasOtherBody: Bool
  ) throws {
    let desk = try SentDesk(smtp: "sent-copy = \"server\"")
    let message = desk.message("renamed")
    try desk.queue(message)
    try desk.save(message)
    #expect(try desk.send.push().status == 0)
    let filed = message.replacing("@reader.org>", with: "@provider.example>")
    try desk.append(
      "Received: from a by b; today\n" + (hasOtherBody ? filed + "-- \nAn advertisement\n" : filed),
      date: .now)
    if isPulled { #expect(try desk.send.mirror.pull().status == 0) }
    for _ in 0..<2 {
      #expect(try desk.pushLater(minutes: 16).status == 0)
      #expect(try desk.remote().count == 1)
      #expect(try desk.send.mirror.pull().status == 0)
    }
    // What the reader saved is kept in any case; where it says the same, it is that message.
    let local = try desk.local()
    #expect(local.contains { $0.contains("@reader.org>") })
    #expect(local.count == (hasOtherBody ? 2 : 1), "\(local)")
    try desk.expectQuiet()
  }

  @Test(.enabled(if: SentDesk.canShiftClocks))
  func `where the provider has filed nothing after a while, the reader's copy goes up`() throws {
    let desk = try SentDesk(smtp: "sent-copy = \"server\"")
    let message = desk.message("nothing filed")
    try desk.queue(message)
    try desk.save(message)
    #expect(try desk.send.push().status == 0)
    // Of the same second, and another message.
    try desk.append(
      message.replacing("nothing", with: "something").replacing("@r", with: "@p"), date: .now)
    #expect(try desk.pushLater(minutes: 14).status == 0)
    #expect(try desk.remote().count == 1)
    #expect(try desk.pushLater(minutes: 16).status == 0)
    #expect(try desk.remote().filter { $0.contains("Subject: nothing filed") }.count == 1)
  }

  @Test func `the reader's copy of what was refused stays, and goes up once it is given up`()
    throws
  {
    let postfix = try PostfixServer(
      settings:
        "smtpd_recipient_restrictions = check_recipient_access inline:{nobody@x.org=REJECT}\n")
    for rule in ["append", "server"] {
      let desk = try SentDesk(smtp: "sent-copy = \"\(rule)\"", server: postfix)
      let message = desk.message("refused", to: "nobody@x.org")
      try desk.queue(message)
      try desk.save(message)
      #expect(try desk.send.push().status == 1)
      try #require(try desk.state() == "failed")
      #expect(try desk.local().count == 1)
      let id = try #require(try desk.send.outbox().first?["id"] as? String)
      #expect(try desk.send.mirror.run(["outbox", "discard", id]).status == 0)
      for _ in 0..<2 {
        #expect(try desk.send.push().status == 0)
        #expect(try desk.send.mirror.pull().status == 0)
      }
      try desk.expectOne("refused")
    }
  }

  // MARK: Whatever the order

  @Test func `copies saved while two pushes are at work stay single`() throws {
    let desk = try SentDesk()
    var random = SeededGenerator(seed: 5)
    for round in 0..<8 {
      let messages = (0..<3).map { desk.message("round \(round) number \($0)") }
      for message in messages { try desk.queue(message) }
      let pushes = try (0..<2).map { _ in
        try Child(desk.send.mirror.command(["push"]), environment: desk.send.mirror.environment)
      }
      for message in messages {
        usleep(.random(in: 0...120_000, using: &random))
        try desk.save("Bcc: eve@example.org\n" + message)
      }
      for push in pushes { _ = try push.wait() }
    }
    for _ in 0..<3 {
      _ = try desk.send.push()
      #expect(try desk.send.mirror.pull().status == 0)
    }
    let remote = try desk.remote().map(SentDesk.subject)
    #expect(remote.count == 24 && Set(remote).count == 24, "\(remote.sorted())")
    let local = try desk.local().map(SentDesk.subject)
    #expect(local.count == 24 && Set(local).count == 24, "\(local.sorted())")
    try desk.send.server.drain()
    #expect(try desk.send.server.arrived(for: desk.bob, atLeast: 24).count == 24)
    try desk.expectQuiet()
  }

  @Test(.enabled(if: FaultRun.isPossible), arguments: ["sendto", "fsync", "renameat", "write"])
  func `a push killed on its way, and a copy saved behind it, leave one`(call: String) throws {
    var total = 0
    do {
      let desk = try SentDesk()
      try desk.queue(desk.message("count"))
      var run = FaultRun(desk.send.mirror)
      run.arguments = ["push"]
      total = try run.counts(of: [call]).counts[call] ?? 0
    }
    let most = ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] != nil ? 60 : 6
    for number in stride(from: 1, through: total, by: max(1, total / most)) {
      let desk = try SentDesk()
      let message = desk.message("killed")
      try desk.queue(message)
      var run = FaultRun(desk.send.mirror)
      run.arguments = ["push"]
      _ = try run.kill(at: call, number)
      try desk.save("Bcc: eve@example.org\n" + message)
      for _ in 0..<2 {
        _ = try desk.send.push()
        #expect(try desk.send.mirror.pull().status == 0)
      }
      let state = try desk.state()
      #expect(state == nil || state == "unknown" || state == "sent", "\(call) \(number)")
      try desk.expectOne("killed", "\(call) \(number) of \(total)")
    }
  }
}
