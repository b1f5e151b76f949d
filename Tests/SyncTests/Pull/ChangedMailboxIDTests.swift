import MailTestKit
import SyncPlan
import Testing

/// A mailbox that has another MAILBOXID than before, under the same UIDVALIDITY: the server was moved to another machine,
/// or the name is another mailbox's.
struct ChangedMailboxIDTests {
  /// `A` with a0 to a2, `B` with b0 to b2: both with one UIDVALIDITY, as of mailboxes that were made in one second.
  private func stage(isListed: Bool = true) throws -> Stage {
    let stage = try Stage(
      .modern,
      more: { account in
        for name in ["A", "B"] {
          account.add(name, uidValidity: 4000)
          account.change(name) { box in
            for number in 0..<3 {
              box.deliver(SampleMessage(token: "\(name.lowercased())\(number)"))
            }
          }
        }
      })
    if !isListed { hideIDs(stage) }
    return stage
  }

  /// As Cyrus 3.6 does: it is told of an open mailbox only.
  private func hideIDs(_ stage: Stage) {
    stage.alter.value = { _, replies in
      replies.map { reply in
        guard reply.text.hasPrefix("* STATUS") else { return reply }
        return .line(reply.text.replacing(#/\ MAILBOXID\ \([^)]*\)/#, with: ""))
      }
    }
  }

  private func swap(_ stage: Stage) {
    stage.account.change { boxes in
      for index in boxes.indices where ["A", "B"].contains(boxes[index].name) {
        boxes[index].name = boxes[index].name == "A" ? "B" : "A"
      }
    }
  }

  // MARK: Another mailbox

  @Test(arguments: [true, false]) func `the changes of one mailbox never go to another`(
    pushesFirst: Bool
  ) throws {
    let stage = try stage(isListed: false)
    try stage.setFlags("a0", "F")
    try stage.move("a1", to: "B")
    try stage.remove("a2")
    swap(stage)
    stage.account.change("A") { $0.setFlags(2, ["\\Seen"]) }
    stage.account.change("B") { $0.setFlags(3, ["\\Seen"]) }
    if pushesFirst { stage.push(nil) }
    for _ in 0..<2 {
      stage.pull(nil)
      stage.push(nil)
    }
    for token in 0..<3 {
      #expect(stage.places("b\(token)") == ["A"])
      #expect(try !stage.remote("b\(token)", in: "A").flags.contains("\\Flagged"))
      #expect(stage.places("a\(token)") == ["B"], "a\(token)")
    }
  }

  /// Neither that some of its messages have no Message-ID tells that it is the same one, nor that one is the same.
  @Test(arguments: ["", "c1", "a1"])
  func `what lies under a name that another mailbox has is brought`(
    second: String
  ) throws {
    let stage = try stage()
    stage.account.change("A") { box in
      box.identity = "another"
      for index in box.messages.indices {
        let token = index == 1 ? second : "c\(index)"
        box.messages[index].bytes =
          token.isEmpty
          ? Array("Subject: none\r\n\r\nbare\r\n".utf8) : SampleMessage(token: token).bytes
      }
    }
    try stage.setFlags("a0", "F")
    stage.pull()
    stage.push(nil)
    for token in ["c0", "c2"] {
      #expect(try stage.folders(of: token) == ["A"])
      #expect(try stage.remote(token, in: "A").flags == [])
    }
    #expect(try stage.remote("a0", in: "A").flags == ["\\Flagged"], "it is only here, and sent")
  }

  /// One that has fewer is no copy that lags.
  @Test func `names that mailboxes of unlike length swap are not waited for`() throws {
    let stage = try stage(isListed: false)
    try stage.expungeThere("b2", in: "B")
    try stage.expungeThere("b1", in: "B")
    stage.pull()
    stage.account.change("B") { $0.uidNext = 2 }
    stage.lag = 900
    stage.reopen()
    swap(stage)
    stage.account.change("A") { $0.setFlags(1, ["\\Seen"]) }
    for _ in 0..<2 {
      stage.pull(nil)
      stage.push(nil)
    }
    #expect(try stage.folders(of: "b0").contains("A") && stage.places("b0") == ["A"])
    for token in 0..<3 {
      #expect(stage.places("a\(token)") == ["B"])
      #expect(try stage.folders(of: "a\(token)").contains("B"))
    }
  }

  /// Much is the same in both, under the same numbers.
  @Test func `all that differs between two mailboxes comes`() throws {
    let stage = try stage(isListed: false)
    for name in ["A", "B"] {
      stage.account.change(name) { box in
        let own = name == "A" ? "ownA" : "ownB"
        for uid in 1...3 { box.expunge(UInt32(uid)) }
        for token in ["w4", "w5", own, own, "w8"] { box.deliver(SampleMessage(token: token)) }
        box.expunge(name == "A" ? 7 : 6)
        box.setFlags(name == "A" ? 4 : 5, ["\\Flagged"])
      }
    }
    stage.account.change("B") { $0.setFlags(8, ["\\Answered"]) }
    stage.pull()
    swap(stage)
    stage.pull(nil)
    stage.push(nil)
    // The counters of one went backwards: what it has no longer stays here.
    try stage.expectSettled(agrees: false)
    #expect(try stage.differences().allSatisfy { $0.hasPrefix("only here: ownB in B") })
    #expect(stage.places("ownA") == ["B"] && stage.places("ownB") == ["A"])
  }

  /// The name of a file that was moved away long ago tells what it was in a mailbox that is no more.
  @Test func `a message like one that was moved out of the mailbox before stays`() throws {
    func movedAway() throws -> Stage {
      let made = try self.stage()
      try made.move("a1", to: "B")
      made.push()
      try made.expectSettled()
      return made
    }
    func remake(_ stage: Stage) {
      stage.account.change("A") { box in
        box.identity = "another"
        box.messages = []
        box.uidNext = 1
        for token in ["a0", "a1", "x2", "x3"] { box.deliver(SampleMessage(token: token)) }
      }
    }
    func expect(_ stage: Stage, _ when: String) throws {
      #expect(stage.places("a1").sorted() == ["A", "B"], "\(when)")
      #expect(try stage.folders(of: "a1").sorted() == ["A", "B"], "\(when)")
    }
    try Stage.crashes(of: .pull, on: movedAway, remake, expect: expect)
  }

  @Test(arguments: ["x1", "a0"]) func `nor does one that comes later`(first: String) throws {
    let stage = try stage()
    try stage.move("a1", to: "B")
    stage.push()
    try stage.expectSettled()
    stage.account.change("A") { box in
      box.identity = "another"
      box.messages = []
      box.uidNext = 1
      box.deliver(SampleMessage(token: first))
    }
    stage.pull(nil)
    stage.account.change("A") { $0.deliver(SampleMessage(token: "a1")) }
    try stage.setFlags("b0", "F")
    stage.pull()
    stage.push()
    #expect(stage.places("a1").sorted() == ["A", "B"])
    try stage.expectSettled(agrees: first == "x1")
  }

  /// Its file has its name, and no record yet.
  @Test func `what a run that died had named is moved by a person, and by nothing else`() throws {
    func remake(_ stage: Stage) {
      stage.account.change("A") { box in
        box.identity = "another"
        box.messages = []
        box.uidNext = 1
        for token in ["x0", "x1", "x2"] { box.deliver(SampleMessage(token: token)) }
      }
    }
    func move(_ stage: Stage) throws {
      if try !stage.folders(of: "x1").isEmpty { try stage.move("x1", to: "B") }
    }
    func expect(_ stage: Stage, _ when: String) throws {
      #expect(try stage.places("x1") == stage.folders(of: "x1"), "\(when)")
      #expect(stage.places("x1").count == 1, "\(when): \(stage.places("x1"))")
    }
    try Stage.crashes(
      of: .pull, on: { try self.stage() }, agrees: false, remake, then: move, expect: expect)
  }

  @Test func `a crash at any commit mixes nothing up`() throws {
    // Files of messages that lie in other folders now stay here, and are never sent.
    func change(_ stage: Stage) throws {
      try stage.setFlags("a0", "F")
      swap(stage)
      stage.account.change("A") { $0.setFlags(2, ["\\Seen"]) }
      stage.account.change("B") { $0.setFlags(3, ["\\Seen"]) }
    }
    func expect(_ stage: Stage, _ when: String) throws {
      for token in 0..<3 {
        let here = try [stage.folders(of: "a\(token)"), stage.folders(of: "b\(token)")]
        #expect(here[0].contains("B") && here[1].contains("A"), "\(when): \(here)")
        #expect(stage.places("a\(token)") == ["B"], "\(when)")
        #expect(stage.places("b\(token)") == ["A"], "\(when)")
        let flags = try stage.remote("b\(token)", in: "A").flags
        #expect(!flags.contains("\\Flagged"), "\(when)")
      }
    }
    try Stage.crashes(
      of: .pull, on: { try stage(isListed: false) }, agrees: false, change, expect: expect)
  }

  // MARK: The same one

  @Test(arguments: [true, false]) func `another id alone undoes and repeats nothing`(
    isListed: Bool
  ) throws {
    let stage = try stage(isListed: isListed)
    try stage.setFlags("a0", "F")
    try stage.remove("a2")
    try stage.setFlagsThere("a1", ["\\Seen"], in: "A")
    try stage.moveThere("b1", from: "B", to: "Other")
    try stage.setFlags("b1", "F")
    for name in ["A", "B"] { stage.account.change(name) { $0.identity += "moved" } }
    stage.pull()
    stage.push()
    #expect(stage.places("a2") == ["Trash"])
    #expect(stage.places("b1") == ["Other"])
    #expect(try stage.remote("a0", in: "A").flags == ["\\Flagged"])
    #expect(try stage.remote("b1", in: "Other").flags == ["\\Flagged"])
    try stage.expectSettled()
  }

  /// The list shows nothing, and no counter has changed.
  @Test func `a push that is told of another id has the next pull look`() throws {
    let stage = try stage(isListed: false)
    stage.account.change("A") { $0.identity += "moved" }
    try stage.setFlags("a0", "F")
    try stage.remove("a2")
    stage.push(1)
    stage.pull()
    stage.push()
    #expect(try stage.remote("a0", in: "A").flags == ["\\Flagged"])
    #expect(stage.places("a2") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `an id that the list alone shows is enough`() throws {
    let stage = try stage()
    stage.alter.value = { _, replies in
      replies.filter { !$0.text.hasPrefix("* OK [MAILBOXID") }
    }
    stage.account.change("A") { $0.identity += "moved" }
    try stage.setFlags("a0", "F")
    try stage.move("b1", to: "A")
    stage.pull()
    stage.push()
    #expect(try stage.remote("a0", in: "A").flags == ["\\Flagged"])
    #expect(stage.places("b1") == ["A"])
    try stage.expectSettled()
  }

  @Test func `a copy of the server that lags with another id is waited for`() throws {
    let stage = try stage()
    let before = try #require(stage.account["A"])
    try stage.deliver("n0", to: "A")
    stage.push()
    let now = try #require(stage.account["A"])
    stage.account["A"] = before
    stage.account.change("A") { $0.identity += "copy" }
    stage.lag = 900
    stage.reopen()
    stage.pull(nil)
    stage.push(nil)
    #expect(stage.places("n0") == [])
    stage.account["A"] = now
    stage.pull()
    stage.push()
    #expect(stage.places("n0") == ["A"])
    try stage.expectSettled()
  }
}
