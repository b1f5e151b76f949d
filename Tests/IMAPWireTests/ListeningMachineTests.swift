import IMAPWire
import MailCore
import Testing

/// The machine is told what a server says and what time it is, and answers in words.
private struct Conversation {
  var machine: ListeningMachine
  var seconds = 0.0
  private var now: Int64 { Int64(seconds * 1000) }

  init(_ capabilities: String, memory: ListeningMemory = ListeningMemory()) {
    machine = ListeningMachine(
      CapabilitySet(capabilities.split(separator: " ").map(String.init)),
      mailbox: Array("INBOX".utf8), memory: memory)
  }

  mutating func begin() throws -> [String] { try words(machine.begin(at: now)) }
  mutating func check() throws -> [String] { try words(machine.check(at: now)) }

  /// So much later, whatever the machine's deadline is.
  mutating func wait(_ more: Double) throws -> [String] {
    seconds += more
    return try words(machine.timePassed(at: now))
  }

  mutating func hear(_ line: String) throws -> [String] {
    var parser = ResponseParser()
    Array((line + "\r\n").utf8).withUnsafeBytes { parser.feed($0) }
    var words: [String] = []
    while let event = try parser.next() { words += try hear(event) }
    return words
  }

  mutating func hear(_ event: ResponseEvent) throws -> [String] {
    switch event {
    case .untagged(let response): try words(machine.heard(response, at: now))
    case .fetched: try words(machine.heardOfMessage(at: now))
    case .continuation: try words(machine.invited(at: now))
    case .tagged(_, let result): try words(machine.completed(result, at: now))
    case .bodyBegins, .bodyBytes, .bodyEnds: []
    }
  }

  private func words(_ actions: [ListeningMachine.Action]) throws -> [String] {
    try actions.map { action in
      switch action {
      case .send(let command): "> " + (try text(command))
      case .done: "> DONE"
      case .listening(let way): "by \(way)"
      case .hint(let hint): text(hint)
      case .alive: "alive"
      case .closedMailbox: "closed mailbox"
      case .finish: "finish"
      case .fail(let error): "fail: \(error)"
      case .dead: "dead"
      }
    }
  }

  private func text(_ command: IMAPCommand) throws -> String {
    guard
      case .send(let bytes) = try CommandEncoder(CapabilitySet()).encode(
        command, tag: CommandTag(1)
      ).first
    else { return "?" }
    return String(String(decoding: bytes, as: UTF8.self).unicodeScalars.dropFirst(3).dropLast(2))
  }

  private func text(_ hint: ServerHint) -> String {
    func name(_ raw: [UInt8]) -> String { String(decoding: raw, as: UTF8.self) }
    return switch hint {
    case .arrived(let mailbox): "arrived \(name(mailbox))"
    case .changed(let mailbox): "changed \(name(mailbox))"
    case .mailboxes: "mailboxes"
    case .renamed(let from, let to): "renamed \(name(from)) \(name(to))"
    case .everything(let reason): "everything: \(reason)"
    }
  }
}

struct ListeningMachineTests {
  private static let set =
    "> NOTIFY SET STATUS (personal (MessageNew MessageExpunge FlagChange MailboxName))"
  private static let status = "* STATUS Work (MESSAGES 3 UIDNEXT 9 UIDVALIDITY 5 HIGHESTMODSEQ 7)"

  private func notified() throws -> Conversation {
    var talk = Conversation("NOTIFY IDLE")
    #expect(try talk.begin() == [Self.set])
    #expect(try talk.hear(Self.status) == [])
    #expect(try talk.hear("A1 OK done") == ["by notify"])
    return talk
  }

  private func idling(_ capabilities: String = "IDLE") throws -> Conversation {
    var talk = Conversation(capabilities)
    #expect(try talk.begin() == [#"> EXAMINE "INBOX""#])
    #expect(try talk.hear("* 4 EXISTS") == [])
    #expect(try talk.hear("A1 OK [READ-ONLY] done") == ["> IDLE"])
    #expect(try talk.hear("+ idling") == ["by idle"])
    return talk
  }

  @Test(
    arguments: [
      ("* STATUS Work (MESSAGES 4 UIDNEXT 10 UNSEEN 1 HIGHESTMODSEQ 8)", ["arrived Work"]),
      ("* STATUS Work (MESSAGES 2 UIDNEXT 9 HIGHESTMODSEQ 9)", ["changed Work"]),
      ("* STATUS Work (HIGHESTMODSEQ 8)", ["changed Work"]),
      ("* STATUS Work (MESSAGES 0 UIDNEXT 1 UIDVALIDITY 6)", ["changed Work"]),
      ("* STATUS Other (MESSAGES 1 UIDNEXT 2)", ["arrived Other"]),
      // Told again: no news.
      (status, []),
      ("* STATUS Work (UIDNEXT 9)", []),
      (#"* LIST (\HasNoChildren) "/" Work"#, []),
      (#"* LIST (\Subscribed \HasNoChildren) "/" Work"#, []),
      (#"* LIST () "/" New"#, ["mailboxes"]),
      (#"* LIST (\NonExistent) "/" Work"#, ["mailboxes"]),
      (#"* LIST (\NoAccess \Noselect) "/" Work"#, ["mailboxes"]),
      (#"* LIST () "/" Job ("OLDNAME" (Work))"#, ["renamed Work Job"]),
      (#"* LIST () "/" "My job" ("CHILDINFO" ("X") OLDNAME ("Work"))"#, ["renamed Work My job"]),
      (#"* LIST () "/" INBOX ("OLDNAME" (INBOX))"#, ["mailboxes"]),
      ("* OK Still here", []), ("* CAPABILITY IDLE", []),
      ("* garbage", []), ("+ what", []), ("A9 OK late", []),
      ("* NO full disk", []),
    ] as [(String, [String])])
  func `what NOTIFY tells`(line: String, words: [String]) throws {
    var talk = try notified()
    #expect(try talk.hear(line) == words)
  }

  @Test func `a mailbox is known under its new name, and a new one by its first message`() throws {
    var talk = try notified()
    #expect(try talk.hear(#"* LIST () "/" Job ("OLDNAME" (Work))"#) == ["renamed Work Job"])
    #expect(try talk.hear("* STATUS Job (MESSAGES 3 UIDNEXT 9)") == [])
    #expect(try talk.hear("* STATUS Job (MESSAGES 4 UIDNEXT 10)") == ["arrived Job"])
    #expect(try talk.hear(#"* LIST () "/" New"#) == ["mailboxes"])
    #expect(try talk.hear(#"* LIST () "/" New"#) == [])
    #expect(try talk.hear("* STATUS New (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 8)") == ["arrived New"])
    #expect(try talk.hear(#"* LIST (\NonExistent) "/" New"#) == ["mailboxes"])
    #expect(try talk.hear(#"* LIST () "/" New"#) == ["mailboxes"])
  }

  @Test(
    arguments: [
      ("* 5 EXISTS", ["arrived INBOX"]), ("* 4 EXISTS", []), ("* 3 EXISTS", ["changed INBOX"]),
      ("* 1 EXPUNGE", ["changed INBOX"]), ("* VANISHED 7,9", ["changed INBOX"]),
      ("* VANISHED (EARLIER) 7,9", []),
      (#"* 2 FETCH (FLAGS (\Seen) UID 8)"#, ["changed INBOX"]),
      ("* OK Still here", []), ("* 1 RECENT", []), (#"* FLAGS (\Seen)"#, []),
      ("* OK [NOTIFICATIONOVERFLOW] not asked", []),
    ] as [(String, [String])])
  func `what IDLE tells`(line: String, words: [String]) throws {
    var talk = try idling()
    #expect(try talk.hear(line) == words)
  }

  @Test func `what was expunged is taken off before the next arrival is counted`() throws {
    var talk = try idling()
    #expect(try talk.hear("* 4 EXPUNGE") == ["changed INBOX"])
    #expect(try talk.hear("* 4 EXISTS") == ["arrived INBOX"])
    #expect(try talk.hear("* VANISHED 1:2") == ["changed INBOX"])
    #expect(try talk.hear("* 3 EXISTS") == ["arrived INBOX"])
  }

  @Test(
    arguments: [
      // Neither is there, or what is announced does not work.
      ("IMAP4rev1", [], ["by poll", "finish"]),
      ("IDLE", ["A1 NO [NONEXISTENT] no"], ["closed mailbox", "finish"]),
      ("IDLE", ["A1 OK done", "A2 BAD Unknown command"], ["by poll", "finish"]),
      ("IDLE", ["A1 OK done", "+ idling", "A2 OK that was it"], ["by poll", "finish"]),
      // NOTIFY refused: as if it had not been asked for.
      ("NOTIFY IDLE", ["A1 BAD what"], [#"> EXAMINE "INBOX""#]),
      ("NOTIFY IDLE", ["A1 NO [BADEVENT] none"], [#"> EXAMINE "INBOX""#]),
      ("NOTIFY IDLE", ["A1 NO [BADEVENT MessageNew]"], [#"> EXAMINE "INBOX""#]),
      ("NOTIFY", ["A1 NO not today"], ["by poll", "finish"]),
    ] as [(String, [String], [String])])
  func `the way is what the server offers and answers`(
    capabilities: String, lines: [String], words: [String]
  ) throws {
    var talk = Conversation(capabilities)
    var last = try talk.begin()
    for line in lines { last = try talk.hear(line) }
    #expect(last.suffix(words.count) == words)
  }

  @Test(arguments: [
    "NO [BADEVENT MailboxName AnnotationChange] Dovecot names what it lacks",
    "NO [BADEVENT (MessageNew MessageExpunge FlagChange)] others what they have",
  ])
  func `events that the server lacks are left out, and it is asked again`(answer: String) throws {
    var talk = Conversation("NOTIFY IDLE")
    _ = try talk.begin()
    #expect(
      try talk.hear("A1 \(answer)") == [
        "> NOTIFY SET STATUS (personal (MessageNew MessageExpunge FlagChange))"
      ])
    #expect(try talk.hear("A2 OK done") == ["by notify"])
  }

  @Test func `a server that cannot be asked now is asked again later, not polled`() throws {
    var talk = Conversation("IDLE")
    _ = try talk.begin()
    let words = try talk.hear("A1 NO [INUSE] locked")
    #expect(words.count == 1 && words[0].hasPrefix("fail"))
  }

  @Test(arguments: [
    "* OK [NOTIFICATIONOVERFLOW] too much", "* NO NOTIFY error, some events may have got lost",
  ])
  func `where something was not told NOTIFY is set again, and then everything is looked at`(
    line: String
  ) throws {
    var talk = try notified()
    let reason = line.contains("[") ? "too much" : "NOTIFY error, some events may have got lost"
    #expect(try talk.wait(100) == [])
    #expect(try talk.hear(line) == [Self.set])
    #expect(try talk.hear(Self.status) == [])
    #expect(try talk.hear("A2 OK done") == ["everything: \(reason)"])
    // Again and again: at most once in a minute, and looked at meanwhile.
    #expect(try talk.wait(10) == [])
    #expect(try talk.hear(line) == ["everything: \(reason)"])
    #expect(try talk.wait(49) == [])
    #expect(try talk.wait(1) == [Self.set])
    // While it is being set: that was not the last time.
    #expect(try talk.hear(line) == [])
    #expect(try talk.hear("A3 OK done") == ["everything: \(reason)", "everything: \(reason)"])
    #expect(try talk.wait(60) == [Self.set])
    #expect(try talk.hear("A4 OK done") == ["everything: \(reason)"])
    // And while it is pinged.
    #expect(try talk.wait(25 * 60) == ["> NOOP"])
    #expect(try talk.hear(line) == [])
    #expect(try talk.hear("A5 OK done") == [Self.set])
  }

  @Test(arguments: [
    ["A1 OK done", "* OK [NOTIFICATIONOVERFLOW] x", "A2 NO no more"],
    ["A1 NO [NOTIFICATIONOVERFLOW] too many"],
  ])
  func `a connection that lost NOTIFY is not fit for IDLE, the next one is`(lines: [String]) throws
  {
    var talk = Conversation("NOTIFY IDLE")
    var last = try talk.begin()
    for line in lines {
      if last != [Self.set] { _ = try talk.wait(60) }
      last = try talk.hear(line)
    }
    #expect(last.count == 1 && last[0].hasPrefix("fail"))
    var next = Conversation("NOTIFY IDLE", memory: talk.machine.memory)
    #expect(try next.begin() == [#"> EXAMINE "INBOX""#])
    var third = Conversation("NOTIFY IDLE", memory: next.machine.memory)
    #expect(try third.begin() == [Self.set])
  }

  // MARK: Renewal and signs of life

  @Test func `a line that rests is spoken on every 25 minutes`() throws {
    var idle = try idling()
    #expect(try idle.wait(25 * 60 - 1) == [])
    #expect(try idle.wait(1) == ["> DONE"])
    #expect(try idle.hear("* 5 EXISTS") == ["arrived INBOX"])
    #expect(try idle.hear("A2 OK done") == ["> IDLE"])
    #expect(try idle.hear("* 6 EXISTS") == ["arrived INBOX"])
    #expect(try idle.hear("+ idling") == [])
    #expect(try idle.wait(25 * 60) == ["> DONE"])

    var notify = try notified()
    #expect(try notify.wait(25 * 60) == ["> NOOP"])
    #expect(try notify.hear("* STATUS Work (UIDNEXT 11)") == ["arrived Work"])
    #expect(try notify.hear("A2 OK done") == [])
    #expect(try notify.wait(25 * 60) == ["> NOOP"])
  }

  @Test func `a line that is dead at its renewal is renewed sooner from then on`() throws {
    var memory = ListeningMemory()
    for seconds in [1500.0, 750, 375, 187, 120, 120] {
      var talk = Conversation("NOTIFY", memory: memory)
      _ = try talk.begin()
      _ = try talk.hear("A1 OK done")
      #expect(try talk.wait(seconds - 1) == [])
      #expect(try talk.wait(1) == ["> NOOP"])
      #expect(try talk.wait(9.9) == [])
      #expect(try talk.wait(0.1) == ["dead"])
      memory = talk.machine.memory
    }
    // Cut instead of silent: the same.
    var talk = Conversation("NOTIFY")
    _ = try talk.begin()
    _ = try talk.hear("A1 OK done")
    talk.machine.connectionLost()
    #expect(talk.machine.memory.renewal == 1500)
    talk = try notified()
    _ = try talk.wait(1500)
    talk.machine.connectionLost()
    #expect(talk.machine.memory.renewal == 750)
  }

  @Test func `after a day without a dead line it rests longer again`() {
    var memory = ListeningMemory()
    for _ in 0..<10 { memory.foundDead() }
    #expect(memory.renewal == 120)
    for _ in 0..<719 { memory.foundAlive() }
    #expect(memory.renewal == 120)
    memory.foundAlive()
    #expect(memory.renewal == 240)
    for _ in 0..<10_000 { memory.foundAlive() }
    #expect(memory.renewal == 1500)
  }

  @Test func `whoever asks learns within ten seconds whether the line is alive`() throws {
    for isIdle in [true, false] {
      var talk = isIdle ? try idling() : try notified()
      #expect(try talk.check() == [isIdle ? "> DONE" : "> NOOP"])
      #expect(try talk.check() == [])
      #expect(try talk.hear("A2 OK done") == (isIdle ? ["alive", "> IDLE"] : ["alive"]))
      if isIdle { #expect(try talk.hear("+ idling") == []) }
      #expect(try talk.check() == [isIdle ? "> DONE" : "> NOOP"])
      #expect(try talk.wait(9) == [])
      // Not the answer, but a word.
      #expect(try talk.hear("* OK wait a moment") == [])
      #expect(try talk.wait(9) == [])
      #expect(try talk.wait(1) == ["dead"])
      // A sleep is no fault of the line's.
      #expect(talk.machine.memory.renewal == 1500)
      #expect(try talk.check() == [] && talk.wait(10_000) == [])
    }
  }

  @Test func `a question during the preparations shortens the wait`() throws {
    for lines in [[], ["A1 OK done"]] {
      var talk = Conversation("IDLE")
      _ = try talk.begin()
      for line in lines { _ = try talk.hear(line) }
      #expect(try talk.wait(59) == [])
      #expect(try talk.check() == [])
      #expect(try talk.wait(10) == ["dead"])
    }
    var talk = Conversation("NOTIFY")
    _ = try talk.begin()
    #expect(try talk.check() == [])
    #expect(try talk.hear("A1 OK done") == ["alive", "by notify"])
    var slow = Conversation("NOTIFY")
    _ = try slow.begin()
    #expect(try slow.wait(60) == ["dead"])
  }

  // MARK: Bytes

  @Test func `where the bytes are cut makes no difference`() throws {
    let notify = """
      * STATUS INBOX (MESSAGES 3 UIDNEXT 9 HIGHESTMODSEQ 7)
      * STATUS {4}
      Wörk (MESSAGES 1 UIDNEXT 2)
      A1 OK [X (a]b)] done
      * STATUS INBOX (MESSAGES 4 UIDNEXT 10)
      * LIST () "/" "New \\"box\\"" ("OLDNAME" ({4}
      Wörk))
      * LIST (\\NonExistent) "/" INBOX
      * OK [NOTIFICATIONOVERFLOW] too much

      """.replacing("\n", with: "\r\n").replacing("{4}", with: "{5}")
    let idle = """
      * 4 EXISTS
      A1 OK done
      + idling
      * 5 EXISTS
      * 2 FETCH (UID 3 FLAGS (\\Seen))
      * VANISHED 1
      A2 OK done

      """.replacing("\n", with: "\r\n")
    for (capabilities, text) in [("NOTIFY", notify), ("IDLE", idle)] {
      let bytes = Array(text.utf8)
      let whole = try words(capabilities, [bytes])
      #expect(whole.count >= 5, "\(whole)")
      for cut in 1..<bytes.count {
        #expect(try words(capabilities, [Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
      }
      #expect(try words(capabilities, bytes.map { [$0] }) == whole)
    }
  }

  private func words(_ capabilities: String, _ pieces: [[UInt8]]) throws -> [String] {
    var parser = ResponseParser()
    var talk = Conversation(capabilities)
    var words = try talk.begin()
    for piece in pieces {
      piece.withUnsafeBytes { parser.feed($0) }
      while let event = try parser.next() { words += try talk.hear(event) }
    }
    return words
  }
}
