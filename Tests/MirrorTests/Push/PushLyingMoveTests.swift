import MailTestKit
import Testing

/// Servers that say OK to a move or an expunge, and leave the message where it was.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushLyingMoveTests {
  private typealias Stage = PushStage

  private static func dialect(_ name: String) -> Dialect {
    switch name {
    case "modern": .modern
    case "uidplus": Dialect(capabilities: ["UIDPLUS"])
    default: Dialect(capabilities: ["MOVE"])
    }
  }

  @Test(arguments: ["modern", "move"], [false, true])
  func `a move that did nothing waits, and is made once`(name: String, pullsBetween: Bool) throws {
    let stage = try Stage(Self.dialect(name))
    try stage.reader.move(stage.local("m0"), to: "Work")
    stage.refusals.value = [("UID MOVE", "", "OK done")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("still where they were"), "\(outcome.errorText)")
    #expect(try stage.local("m0").folder == "Work", "nothing is set back")
    if pullsBetween { try stage.mirror.pull() }
    stage.refusals.value = []
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: ["OK [COPYUID 1500000000 1 1] done", "OK done"])
  func `a move that only copied is not made twice`(answer: String) throws {
    let stage = try Stage(.modern)
    try stage.reader.move(stage.local("m0"), to: "Work")
    stage.refusals.value = [("UID MOVE", "", answer)]
    let account = stage.account
    stage.server.alter { command, replies in
      if command.name == "UID MOVE" {
        account.change("Work") { $0.deliver(SampleMessage(token: "m0")) }
      }
      return replies
    }
    try stage.push()
    stage.server.alter(nil)
    stage.refusals.value = []
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `what an expunge left there is not taken for gone`() throws {
    let stage = try Stage(Self.dialect("uidplus")) { account in
      account.change("Trash") { $0.deliver(SampleMessage(token: "bin")) }
    }
    try stage.reader.remove(stage.local("bin"))
    try stage.reader.move(stage.local("m0"), to: "Work")
    stage.refusals.value = [("UID EXPUNGE", "", "OK done")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("still where they were"), "\(outcome.errorText)")
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<bin@") == 0, "it does not come back")
    #expect(try stage.mirror.tree().count(of: "<m0@") == 1)
    stage.refusals.value = []
    try stage.push()
    #expect(stage.places("bin") == [] && stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  /// Between two tries the target is looked into: the UIDs of the second are the source's all the same.
  @Test func `a move is tried again in the mailbox that it is about`() throws {
    let stage = try Stage(Self.dialect("move"), count: 420) { account in
      account.change("Work") { box in
        for number in 0..<420 { box.deliver(SampleMessage(token: "w\(number)")) }
      }
    }
    let inbox = try stage.mirror.tree()["INBOX"]
    for number in stride(from: 1, to: 420, by: 2) {
      let token = Array("<m\(number)@".utf8)
      try stage.reader.move(#require(inbox.first { contains($0.raw, token) }), to: "Work")
    }
    let places = Locked<[String]>([])
    let account = stage.account
    stage.refusals.value = [("UID MOVE", ",420", "NO later")]
    stage.server.alter { command, replies in
      if command.name == "UID MOVE" {
        places.change { $0.append(command.mailbox ?? "none") }
        // The target is made anew just then.
        account.change("Work") { $0.uidValidity = 1_600_000_000 }
      }
      return replies
    }
    _ = try stage.mirror.run(["push"])
    #expect(places.value.count >= 2 && Set(places.value) == ["INBOX"], "\(places.value)")
    #expect(stage.count(of: "<w", in: "Work") == 420)
    #expect(
      stage.account.mailboxes.allSatisfy {
        $0.name == "Work" || stage.count(of: "<w", in: $0.name) == 0
      })
  }
}
