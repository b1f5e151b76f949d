import MailTestKit
import SyncPlan
import Testing

/// Servers that say OK to a move or an expunge, and leave the message where it was.
struct LyingMoveTests {
  private static func dialect(_ name: String) -> ServerDialect {
    switch name {
    case "modern": .modern
    case "uidplus": ServerDialect(capabilities: ["UIDPLUS"])
    default: ServerDialect(capabilities: ["MOVE"])
    }
  }

  @Test(arguments: ["modern", "move"], [false, true])
  func `a move that did nothing waits, and is made once`(name: String, pullsBetween: Bool) throws {
    let stage = try Stage(Self.dialect(name))
    try stage.move("m0", to: "Work")
    stage.refusals.value = [.init(name: "UID MOVE", words: "OK done")]
    let outcome = stage.push(1)
    #expect(outcome.told.contains("still where they were"), "\(outcome.told)")
    #expect(try stage.local("m0").folder == "Work", "nothing is set back")
    if pullsBetween { stage.pull(nil) }
    stage.refusals.value = []
    stage.push()
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: ["OK [COPYUID 1500000000 1 1] done", "OK done"])
  func `a move that only copied is not made twice`(answer: String) throws {
    let stage = try Stage(.modern)
    try stage.move("m0", to: "Work")
    stage.refusals.value = [.init(name: "UID MOVE", words: answer)]
    let account = stage.account
    stage.alter.value = { command, replies in
      if command.name == "UID MOVE" {
        account.change("Work") { $0.deliver(SampleMessage(token: "m0")) }
      }
      return replies
    }
    stage.push()
    stage.alter.value = nil
    stage.refusals.value = []
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `what an expunge left there is not taken for gone`() throws {
    let stage = try Stage(Self.dialect("uidplus")) { account in
      account.change("Trash") { $0.deliver(SampleMessage(token: "bin")) }
    }
    try stage.remove("bin")
    try stage.move("m0", to: "Work")
    stage.refusals.value = [.init(name: "UID EXPUNGE", words: "OK done")]
    let outcome = stage.push(1)
    #expect(outcome.told.contains("still where they were"), "\(outcome.told)")
    stage.pull(nil)
    #expect(try stage.tree().count(of: "<bin@") == 0, "it does not come back")
    #expect(try stage.tree().count(of: "<m0@") == 1)
    stage.refusals.value = []
    stage.push()
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
    let inbox = try stage.tree()["INBOX"]
    for number in stride(from: 1, to: 420, by: 2) {
      let token = Array("<m\(number)@".utf8)
      try stage.reader.move(#require(inbox.first { contains($0.raw, token) }), to: "Work")
    }
    let places = Locked<[String]>([])
    let account = stage.account
    stage.refusals.value = [.init(name: "UID MOVE", part: ",420", words: "NO later")]
    stage.alter.value = { command, replies in
      if command.name == "UID MOVE" {
        places.change { $0.append(command.mailbox ?? "none") }
        // The target is made anew just then.
        account.change("Work") { $0.uidValidity = 1_600_000_000 }
      }
      return replies
    }
    stage.push(nil)
    #expect(places.value.count >= 2 && Set(places.value) == ["INBOX"], "\(places.value)")
    #expect(stage.count(of: "<w", in: "Work") == 420)
    #expect(
      stage.account.mailboxes.allSatisfy {
        $0.name == "Work" || stage.count(of: "<w", in: $0.name) == 0
      })
  }
}
