import Testing

@testable import SMTPWire

@Suite struct SubmissionMachineTests {
  private let all = ServerExtensions.test(
    "PIPELINING", "SIZE 1000000", "8BITMIME", "SMTPUTF8", "DSN", "CHUNKING")

  @Test func `pipelined, a message takes two round trips`() throws {
    var dialogue = Dialogue(
      """
      C: MAIL FROM:<a@x.org> SIZE=20 BODY=7BIT
      C: RCPT TO:<b@y.org>
      C: RCPT TO:<c@y.org>
      C: DATA
      S: 250 2.1.0 Ok
      S: 250 2.1.5 Ok
      S: 250 2.1.5 Ok
      S: 354 End data with <CR><LF>.<CR><LF>
      C: Subject: Hi
      C: 
      C: Hello
      C: .
      S: 250 2.0.0 Ok: queued as 4F2A1
      """)
    let outcome = try dialogue.submit(plan("b@y.org", "c@y.org"), all)
    #expect(
      outcome.result
        == .accepted(
          Reply(code: 250, enhanced: EnhancedStatus(2, 0, 0), lines: ["Ok: queued as 4F2A1"])))
    #expect(dialogue.waits == 2)
    #expect(dialogue.rest.isEmpty)
    #expect(outcome.isConnectionUsable && !outcome.needsReset)
    #expect(dialogue.notes == ["dispatched"])
  }

  @Test func `where MAIL failed, no dot leaves to those whom the server took all the same`() throws
  {
    var dialogue = Dialogue(
      """
      C: MAIL FROM:<a@x.org> SIZE=20 BODY=7BIT
      C: RCPT TO:<b@y.org>
      C: DATA
      S: 354 what?
      S: 250 ok
      S: 354 go
      """)
    let outcome = try dialogue.submit(plan("b@y.org"), all)
    #expect(!outcome.isConnectionUsable && !dialogue.lines.contains("."))
    guard case .lost = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func `without PIPELINING every command waits for its reply`() throws {
    var dialogue = Dialogue(
      """
      C: MAIL FROM:<a@x.org>
      S: 250 ok
      C: RCPT TO:<b@y.org>
      S: 550 5.1.1 no such user
      C: RCPT TO:<c@y.org>
      S: 251 will forward
      C: DATA
      S: 354 go
      C: Subject: Hi
      C: 
      C: Hello
      C: .
      S: 250 ok
      """)
    let outcome = try dialogue.submit(plan("b@y.org", "c@y.org"), .test())
    #expect(dialogue.waits == 5)
    guard case .accepted = outcome.result, case .refused(let reply) = outcome.recipients[0],
      case .accepted = outcome.recipients[1]
    else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reply.words == "550 5.1.1 no such user")
  }

  @Test func `nobody accepted: no data is asked for, and RSET comes next`() throws {
    var dialogue = Dialogue(
      """
      C: MAIL FROM:<a@x.org>
      S: 250 ok
      C: RCPT TO:<b@y.org>
      S: 451 4.7.1 greylisted
      """)
    let outcome = try dialogue.submit(plan("b@y.org"), .test())
    #expect(outcome.result == .noRecipient)
    #expect(outcome.isConnectionUsable && outcome.needsReset)
    guard case .deferred = outcome.recipients[0] else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func `a server that takes data for nobody gets a lone dot`() throws {
    var dialogue = Dialogue(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      C: DATA
      S: 250 ok
      S: 550 no
      S: 354 go
      C: .
      S: 554 no valid recipients
      """)
    let outcome = try dialogue.submit(plan("b@y.org"), .test("PIPELINING"))
    #expect(outcome.result == .noRecipient)
    #expect(dialogue.rest.isEmpty)
    #expect(dialogue.notes.isEmpty)
    #expect(outcome.isConnectionUsable)
  }

  @Test func `MAIL refused says nothing about the recipients`() throws {
    var dialogue = Dialogue(
      """
      C: MAIL FROM:<a@x.org>
      C: RCPT TO:<b@y.org>
      C: DATA
      S: 553 5.7.1 Sender address rejected: not owned by user alice
      S: 503 5.5.1 need MAIL command
      S: 503 5.5.1 need RCPT command
      """)
    let outcome = try dialogue.submit(plan("b@y.org"), .test("PIPELINING"))
    guard case .refused(command: "MAIL", let reply) = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reply.code == 553)
    #expect(outcome.recipients == [.notTried])
    #expect(!outcome.needsReset && outcome.isConnectionUsable)
  }

  /// Every place where the connection can die, with and without PIPELINING.
  @Test(arguments: [false, true])
  func `unknown is only what died behind the end of data`(pipelining: Bool) throws {
    let script = [
      "C: MAIL FROM:<a@x.org>", "S: 250 ok", "C: RCPT TO:<b@y.org>", "S: 250 ok", "C: DATA",
      "S: 354 go", "C: Subject: Hi", "C: ", "C: Hello", "C: .", "S: 250 ok",
    ]
    let pipelined = [0, 2, 4, 1, 3, 5, 6, 7, 8, 9, 10].map { script[$0] }
    let lines = pipelining ? pipelined : script
    for length in 0...lines.count {
      var dialogue = Dialogue((lines.prefix(length) + ["CLOSE"]).joined(separator: "\n"))
      let outcome = try dialogue.submit(
        plan("b@y.org"), pipelining ? .test("PIPELINING") : .test())
      switch outcome.result {
      case .accepted: #expect(length == lines.count)
      case .unknown:
        #expect(length == 9 || length == 10)
        #expect(dialogue.notes == ["dispatched"])
      case .lost:
        #expect(length < 9)
        #expect(dialogue.notes.isEmpty)
      default: Issue.record("\(length): \(outcome)")
      }
      #expect(outcome.isConnectionUsable == (length == lines.count))
    }
  }

  @Test(arguments: [
    ("554 5.7.1 spam", "refused"), ("552 5.2.3 too big", "refused"),
    ("451 4.3.0 try again", "deferred"),
    ("421 4.3.2 closing", "deferred"), ("354 more", "unknown"), ("HTTP/1.1 200 OK", "unknown"),
  ])
  func `each answer to the dot has its meaning`(answer: String, meaning: String) throws {
    var dialogue = Dialogue(
      """
      C: MAIL FROM:<a@x.org>
      S: 250 ok
      C: RCPT TO:<b@y.org>
      S: 250 ok
      C: DATA
      S: 354 go
      C: Subject: Hi
      C: 
      C: Hello
      C: .
      S: \(answer)
      """)
    let outcome = try dialogue.submit(plan("b@y.org"), .test())
    let found =
      switch outcome.result {
      case .refused(command: "the message", _): "refused"
      case .deferred(command: "the message", _): "deferred"
      case .unknown: "unknown"
      default: "\(outcome.result)"
      }
    #expect(found == meaning)
  }

  @Test(arguments: 0..<4) func `421 may come at any time`(place: Int) throws {
    let script = [
      "C: MAIL FROM:<a@x.org>", "S: 250 ok", "C: RCPT TO:<b@y.org>", "S: 250 ok",
      "C: RCPT TO:<c@y.org>", "S: 250 ok", "C: DATA", "S: 354 go",
    ]
    let lines = Array(script.prefix(place * 2 + 1)) + ["S: 421 4.7.0 too many errors", "CLOSE"]
    var dialogue = Dialogue(lines.joined(separator: "\n"))
    let outcome = try dialogue.submit(plan("b@y.org", "c@y.org"), .test())
    guard case .deferred(_, let reply) = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reply.code == 421)
    #expect(!outcome.isConnectionUsable)
  }

  @Test func `a full transaction leaves the rest for the next`() throws {
    var dialogue = Dialogue(
      """
      C: MAIL FROM:<a@x.org>
      S: 250 ok
      C: RCPT TO:<b@y.org>
      S: 250 ok
      C: RCPT TO:<c@y.org>
      S: 452 4.5.3 Too many recipients
      C: DATA
      S: 354 go
      C: Subject: Hi
      C: 
      C: Hello
      C: .
      S: 250 ok
      """)
    let outcome = try dialogue.submit(plan("b@y.org", "c@y.org"), .test())
    #expect(outcome.recipients[1] == .notTried)
    var limited = Dialogue(
      "C: MAIL FROM:<a@x.org>\nS: 250 ok\nC: RCPT TO:<b@y.org>\nS: 250 ok\nC: DATA\nS: 451 no")
    let second = try limited.submit(plan("b@y.org", "c@y.org"), .test("LIMITS RCPTMAX=1"))
    #expect(second.recipients[1] == .notTried)
    guard case .deferred(command: "DATA", _) = second.result else {
      Issue.record("\(second)")
      return
    }
  }

  @Test func `thousands of recipients never fill the network's buffers`() throws {
    let recipients = try (0..<1000).map { try SubmissionAddress("u\($0)@y.org") }
    let plan = SubmissionPlan(sender: nil, recipients: recipients, size: 10)
    var machine = SubmissionMachine(plan, extensions: all)
    var action = machine.start()
    var sends = 0
    var commands = 0
    while case .send(let bytes) = action {
      sends += 1
      #expect(bytes.count < 8000)
      let lines = bytes.count { $0 == 10 }
      commands += lines
      for _ in 0..<lines {
        action = machine.received(Reply(code: commands == 1002 && sends == 11 ? 354 : 250))
      }
    }
    #expect(commands == 1002)
    #expect(sends == 11)
  }

  @Test func `what the server cannot take is told before a byte is sent`() throws {
    var plan = try plan("b@y.org", size: 2_000_000)
    var dialogue = Dialogue("")
    #expect(
      try dialogue.submit(plan, all).result == .unsuitable(.tooLarge(limit: 1_000_000)))
    plan.size = 10
    plan.hasEightBitBody = true
    #expect(try dialogue.submit(plan, .test()).result == .unsuitable(.needsSevenBit))
    plan.hasEightBitBody = false
    plan.hasUTF8Header = true
    #expect(try dialogue.submit(plan, .test()).result == .unsuitable(.needsUTF8))
    plan.hasUTF8Header = false
    plan.recipients = [try SubmissionAddress("zoë@y.org")]
    #expect(try dialogue.submit(plan, .test()).result == .unsuitable(.needsUTF8))
    #expect(dialogue.lines.isEmpty)
  }

  @Test func `parameters are those that the server knows`() throws {
    var plan = try plan("b@exämple.org")
    plan.envelopeID = "q+1"
    plan.notify = "FAILURE,DELAY"
    plan.sender = nil
    var machine = SubmissionMachine(plan, extensions: .test("PIPELINING", "DSN"))
    guard case .send(let bytes) = machine.start() else { return }
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "MAIL FROM:<> RET=HDRS ENVID=q+2B1\r\nRCPT TO:<b@xn--exmple-cua.org> "
        + "NOTIFY=FAILURE,DELAY\r\nDATA\r\n")
    plan.recipients = [try SubmissionAddress("zoë@exämple.org")]
    machine = SubmissionMachine(plan, extensions: .test("PIPELINING", "SMTPUTF8", "8BITMIME"))
    guard case .send(let second) = machine.start() else { return }
    #expect(
      String(decoding: second, as: UTF8.self)
        == "MAIL FROM:<> BODY=8BITMIME SMTPUTF8\r\nRCPT TO:<zoë@exämple.org>\r\nDATA\r\n")
  }

  @Test func `large messages go in chunks, and an early no saves the rest`() throws {
    let large = try plan("b@y.org", size: UInt64(SubmissionMachine.chunkSize) + 1)
    let extensions = ServerExtensions.test("PIPELINING", "CHUNKING")
    let start = "C: MAIL FROM:<a@x.org>\nC: RCPT TO:<b@y.org>\nS: 250 ok\nS: 250 ok\n"
    var dialogue = Dialogue(
      start + "C: BDAT 8\nS: 250 ok\nC: BDAT 8\nS: 250 ok\nC: BDAT 3 LAST\nS: 250 2.0.0 queued")
    let outcome = try dialogue.submit(large, extensions)
    guard case .accepted = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    var full = Dialogue(start + "C: BDAT 8\nS: 552 5.2.2 mailbox full")
    let second = try full.submit(large, extensions)
    guard case .refused(command: "the message", _) = second.result else {
      Issue.record("\(second)")
      return
    }
    #expect(second.needsReset && second.isConnectionUsable)
    var cut = Dialogue(start + "C: BDAT 8\nCLOSE")
    #expect(try cut.submit(large, extensions).result == .lost("closed"))
    var cutLast = Dialogue(
      start + "C: BDAT 8\nS: 250 ok\nC: BDAT 8\nS: 250 ok\nC: BDAT 3 LAST\nCLOSE")
    #expect(try cutLast.submit(large, extensions).result == .unknown("closed"))
  }

  @Test func `replies that nobody asked for never make a message sent`() {
    var state: UInt64 = 5
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<5000 {
      let plan = SubmissionPlan(
        sender: nil, recipients: (0..<3).map { try! SubmissionAddress("u\($0)@y.org") }, size: 10)
      var machine = SubmissionMachine(
        plan, extensions: next(2) == 0 ? .test("PIPELINING") : .test())
      var action = machine.start()
      var hasDispatched = false
      for _ in 0..<40 {
        switch action {
        case .send, .read, .sendEnd:
          action = machine.received(Reply(code: [250, 250, 250, 354, 354, 421, 450, 550][next(8)]))
        case .recipientsKnown: action = machine.proceed()
        case .streamBody: action = next(5) == 0 ? machine.lost("x") : machine.streamed()
        case .dispatch:
          hasDispatched = true
          action = machine.dispatched()
        case .sendChunk: Issue.record("no chunks here")
        case .finish(let outcome):
          switch outcome.result {
          case .accepted, .unknown: #expect(hasDispatched)
          default: break
          }
          if hasDispatched {
            #expect(outcome.recipients.contains { if case .accepted = $0 { true } else { false } })
          }
          continue
        }
      }
      guard case .finish = action else {
        Issue.record("never ends")
        return
      }
    }
  }
}
