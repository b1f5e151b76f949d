import Foundation
import MailTestKit
import Testing

/// What shows that a mailbox has a new name, where the server gives no MAILBOXID; and what happens where nothing does.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct RenameEvidenceTests {
  /// Mailboxes `a` and `b` with two messages each.
  private func stage(
    isShared: Bool = false, from first: UInt32 = 1_600_000_000,
    more: (MailAccount) -> Void = { _ in }
  ) throws -> PushStage {
    try PushStage(.condstore, count: 1) { account in
      for (number, name) in ["a", "b"].enumerated() {
        account.add(name, uidValidity: isShared ? 1_500_000_000 : first + UInt32(number))
        account.change(name) { box in
          for token in 0..<2 { box.deliver(SampleMessage(token: "\(name)\(token)")) }
        }
      }
      more(account)
    }
  }

  private func rename(_ old: String, to new: String, _ stage: PushStage) {
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == old { boxes[index].name = new }
    }
  }

  // MARK: UIDVALIDITY

  @Test func `an emptied mailbox is known by a number that no other has`() throws {
    let stage = try stage()
    try stage.deliver("fresh", to: "b")
    stage.account.change("b") { box in for uid in 1...2 { box.expunge(UInt32(uid)) } }
    rename("b", to: "x", stage)
    let outcome = try stage.mirror.pull()
    #expect(outcome.status == 0 && outcome.errorText == "", "\(outcome.summary)")
    try stage.expectOnce(["fresh": "x", "a0": "a", "a1": "a"])
    #expect(try stage.mirror.tree()["b"] == [])
    // And back again, with a message of another client's.
    stage.account.change("x") { $0.deliver(SampleMessage(token: "later")) }
    rename("x", to: "b", stage)
    try stage.mirror.pull()
    try stage.expectOnce(["fresh": "b", "later": "b"])
  }

  /// Some servers give one UIDVALIDITY to all mailboxes.
  @Test func `a new mailbox is no new name of a deleted one because their numbers are the same`()
    throws
  {
    let stage = try stage(isShared: true)
    stage.account.add("x")
    stage.account.change("x") { box in
      for token in 0..<4 { box.deliver(SampleMessage(token: "x\(token)")) }
      for uid in 1...2 { box.expunge(UInt32(uid)) }
    }
    stage.account["b"] = nil
    let outcome = try stage.mirror.pull()
    #expect(outcome.errorText.contains("no longer has this mailbox"), "\(outcome.summary)")
    let tree = try stage.mirror.tree()
    for token in ["b0", "b1"] { #expect(tree.message(with: token + "@")?.folder == "b") }
    for token in ["x2", "x3"] { #expect(tree.message(with: token + "@")?.folder == "x") }
  }

  // MARK: Content

  @Test func `the few messages that are left of many show it`() throws {
    let stage = try stage(isShared: true) { account in
      account.add("c")
      account.change("c") { box in
        for number in 0..<200 { box.deliver(SampleMessage(token: "c\(number)")) }
      }
    }
    try stage.reader.setFlags(stage.local("c7"), "F")
    try stage.reader.move(stage.local("c8"), to: "a")
    stage.account.change("c") { box in
      for uid in 1...200 where ![8, 9].contains(uid) { box.expunge(UInt32(uid)) }
    }
    rename("c", to: "x", stage)
    let outcome = try stage.mirror.pull()
    #expect(outcome.status == 0 && outcome.errorText == "", "\(outcome.summary)")
    try stage.expectOnce(["c7": "x", "c8": "a"])
    #expect(stage.flags("c7") == ["\\Flagged"])
  }

  @Test(arguments: [613, 1_600_000_000])
  func `a header that the server has rewritten is no sign of another mailbox`(number: UInt32) throws
  {
    let stage = try stage(from: number)
    stage.account.change("b") { box in
      box.messages[1].bytes = Array("X-Scanned: yes\r\n".utf8) + box.messages[1].bytes
    }
    try stage.reader.move(stage.local("b1"), to: "a")
    rename("b", to: "x", stage)
    let outcome = try stage.mirror.pull()
    #expect(outcome.status == 0 && outcome.errorText == "", "\(outcome.summary)")
    try stage.expectOnce(["b0": "x", "b1": "a"])
  }

  /// With other messages under the numbers of those that the backup did not have.
  @Test func `what came back from a backup is not what was deleted`() throws {
    let stage = try stage()
    try stage.reader.setFlags(stage.local("b1"), "F")
    stage.account.change("b") { box in
      box.messages.removeLast()
      box.uidNext = 2
      for token in 2..<4 {
        box.deliver(SampleMessage(token: "b\(token)", date: 1_600_000_000 + Int64(token)))
      }
    }
    rename("b", to: "x", stage)
    let outcome = try stage.mirror.pull()
    #expect(outcome.errorText.contains("no longer has this mailbox"), "\(outcome.summary)")
    try stage.push()
    for token in ["b0", "b2", "b3"] {
      #expect(stage.flags(token) == [] && stage.places(token) == ["x"], "\(token)")
      _ = try stage.local(token, in: "x")
    }
    _ = try stage.local("b1", in: "b")
  }

  // MARK: None

  /// The one look that tells is refused, once or while a run lasts.
  private func refuse(
    _ stage: PushStage, times: Int = .max, with answer: String = "NO [SERVERBUG] Internal error",
    _ isMeant: @escaping @Sendable (ModelCommand) -> Bool
  ) -> Locked<Int> {
    let refusals = Locked(0)
    stage.server.alter { asked, replies in
      var status = asked
      (status.name, status.text) = ("STATUS", "STATUS \"x\"")
      if asked.name == "LIST", isMeant(status) {
        return replies.filter { !$0.text.contains("STATUS \"x\"") }
      }
      guard isMeant(asked), refusals.value < times else { return replies }
      refusals.change { $0 += 1 }
      return [answer == Self.hangUp ? .hangUp : .line("\(asked.tag) \(answer)")]
    }
    return refusals
  }

  @Test(arguments: ["STATUS", "EXAMINE"]) func `a look that is refused is tried again`(name: String)
    throws
  {
    let stage = try stage()
    try stage.reader.move(stage.local("b1"), to: "INBOX")
    rename("b", to: "x", stage)
    let refusals = refuse(stage, times: 2) { $0.name == name && $0.text.contains("\"x\"") }
    let outcome = try stage.mirror.pull()
    stage.server.alter(nil)
    #expect(refusals.value == 2)
    #expect(outcome.status == 0 && outcome.errorText == "", "\(outcome.summary)")
    try stage.expectOnce(["b0": "x", "b1": "INBOX"])
  }

  /// On another name than its own, with numbers that tell nothing and equal dates.
  @Test func `other messages of the same second are another mailbox's`() throws {
    let stage = try stage()
    try stage.reader.move(stage.local("b1"), to: "INBOX")
    stage.account.change { boxes in
      let number = boxes.first { $0.name == "a" }?.uidValidity ?? 0
      for index in boxes.indices where ["a", "b"].contains(boxes[index].name) {
        boxes[index].uidValidity = boxes[index].name == "b" ? number : number + 1
      }
    }
    _ = try stage.mirror.pull()
    _ = try stage.mirror.run(["push"])
    for (token, place) in ["a0": "a", "a1": "a", "b0": "b"] {
      #expect(stage.places(token) == [place], "\(token)")
    }
  }

  /// Old mail that came last is out of the window: no header of it is known.
  @Test func `the few messages of a window show it`() throws {
    let stage = try PushStage(.condstore, count: 1, sync: "window = \"30d\"") { account in
      account.add("b", uidValidity: 613)
      account.change("b") { box in
        box.deliver(SampleMessage(token: "old0"))
        for token in ["b0", "b1"] {
          box.deliver(SampleMessage(token: token, date: Int64(Date().timeIntervalSince1970)))
        }
        for number in 1..<400 { box.deliver(SampleMessage(token: "old\(number)")) }
      }
    }
    try stage.reader.move(stage.local("b1"), to: "INBOX")
    rename("b", to: "x", stage)
    let outcome = try stage.mirror.pull()
    #expect(outcome.status == 0 && outcome.errorText == "", "\(outcome.summary)")
    try stage.push()
    #expect(stage.places("b1") == ["INBOX"] && stage.places("b0") == ["x"])
  }

  /// Neither waits for ever, nor does anything else.
  @Test func `a mailbox that cannot be listed whole is opened`() throws {
    let stage = try stage()
    stage.account["b"] = nil
    stage.account.add("x", uidValidity: 1_700_000_000)
    stage.account.change("x") { $0.deliver(SampleMessage(token: "x0")) }
    stage.account.change("a") { $0.renumber(from: 10) }
    _ = refuse(stage) { $0.name == "STATUS" && $0.text.contains("\"x\"") }
    let outcome = try stage.mirror.pull()
    stage.server.alter(nil)
    #expect(outcome.errorText.contains("no longer has this mailbox"), "\(outcome.summary)")
    try stage.expectOnce(["x0": "x", "a0": "a", "a1": "a"])
  }

  /// With its STATUS, the number alone would tell.
  @Test func `what a throttle hides is not decided by the rest`() throws {
    let stage = try stage()
    try stage.deliver("fresh", to: "b")
    stage.account.change("b") { box in for uid in 1...2 { box.expunge(UInt32(uid)) } }
    rename("b", to: "x", stage)
    _ = refuse(stage, with: Self.throttle) { $0.name == "STATUS" && $0.text.contains("\"x\"") }
    let outcome = try stage.mirror.pull()
    stage.server.alter(nil)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("“x” may be the new name of “b”"), "\(outcome.summary)")
    try stage.expectOnce(["fresh": "x", "a0": "a", "a1": "a"])
  }

  /// However many there are of both.
  @Test func `each of them is opened once to see what it is`() throws {
    let count: UInt32 = 6
    let stage = try PushStage(.condstore, count: 1) { account in
      for number in 0..<count {
        account.add("old\(number)", uidValidity: 1_600_000_000 + number)
        account.change("old\(number)") { $0.deliver(SampleMessage(token: "o\(number)")) }
      }
    }
    for number in 0..<count {
      stage.account["old\(number)"] = nil
      stage.account.add("x\(number)", uidValidity: 1_700_000_000 + number)
      stage.account.change("x\(number)") { $0.deliver(SampleMessage(token: "n\(number)")) }
    }
    let looks = Locked(0)
    stage.server.alter { asked, replies in
      if asked.name == "EXAMINE", asked.text.contains("\"x") { looks.change { $0 += 1 } }
      if asked.name == "LIST" { return replies.filter { !$0.text.contains("STATUS \"x") } }
      guard asked.name == "STATUS", asked.text.contains("\"x") else { return replies }
      return [.line("\(asked.tag) NO [SERVERBUG] Internal error")]
    }
    let outcome = try stage.mirror.pull()
    stage.server.alter(nil)
    #expect(outcome.errorText.contains("no longer has this mailbox"), "\(outcome.summary)")
    #expect(looks.value == 2 * count, "a look and a visit each")
    for number in 0..<count { _ = try stage.local("n\(number)", in: "x\(number)") }
  }

  private static let hangUp = "BYE"
  private static let throttle =
    "NO Request is throttled. Suggested Backoff Time: 299961 milliseconds"

  struct Silence: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var answer = "NO [SERVERBUG] Internal error"
    let isMeant: @Sendable (ModelCommand) -> Bool
  }

  static let silences = [
    Silence(testDescription: "STATUS and EXAMINE") {
      ["STATUS", "EXAMINE"].contains($0.name) && $0.text.contains("\"x\"")
    },
    Silence(testDescription: "EXAMINE") { $0.name == "EXAMINE" && $0.text.contains("\"x\"") },
    Silence(testDescription: "EXAMINE, and hangs up", answer: hangUp) {
      $0.name == "EXAMINE" && $0.text.contains("\"x\"")
    },
    Silence(testDescription: "EXAMINE for a while", answer: throttle) {
      $0.name == "EXAMINE" && $0.text.contains("\"x\"")
    },
    Silence(testDescription: "STATUS and EXAMINE for a while", answer: throttle) {
      ["STATUS", "EXAMINE"].contains($0.name) && $0.text.contains("\"x\"")
    },
    Silence(testDescription: "FETCH") { $0.name == "UID FETCH" && $0.mailbox == "x" },
    Silence(testDescription: "nothing", answer: "OK done") {
      $0.name == "UID FETCH" && $0.mailbox == "x"
    },
  ]

  @Test(arguments: silences, [true, false])
  func `what cannot be decided waits, and what can be does not`(silence: Silence, isShared: Bool)
    throws
  {
    let stage = try stage(isShared: isShared) { account in
      account.add("m", uidValidity: 1_700_000_000)
      account.change("m") { $0.deliver(SampleMessage(token: "other0")) }
    }
    try stage.reader.setFlags(stage.local("b0"), "F")
    try stage.reader.move(stage.local("b1"), to: "INBOX")
    rename("b", to: "x", stage)
    rename("m", to: "z", stage)
    // Nor does another mailbox get the name before.
    if !isShared { rename("a", to: "b", stage) }
    let refusals = refuse(stage, with: silence.answer, silence.isMeant)
    let outcome = try stage.mirror.pull()
    #expect(refusals.value > 0)
    stage.server.alter(nil)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("“x” may be the new name of “b”"), "\(outcome.summary)")
    #expect(!outcome.errorText.contains("no longer has"), "\(outcome.summary)")
    _ = try stage.local("other0", in: "z")
    stage.server.forget()
    let pushed = try stage.mirror.run(["push"])
    #expect(stage.changes == [], "\(pushed.summary)")
    try stage.mirror.pull()
    let other = isShared ? "a" : "b"
    try stage.expectOnce(["a0": other, "a1": other, "b0": "x", "b1": "INBOX", "other0": "z"])
    #expect(stage.flags("b0") == ["\\Flagged"])
  }
}
