import MailTestKit
import SyncPlan
import Testing

/// Mailboxes of others, and others' rights (RFC 4314): what is not allowed is said, kept, and not asked for again.
struct RightsTests {
  private static let shared = "Shared/team"

  /// A server that tells of rights: in `Shared/` those that `rights` holds, elsewhere `own`.
  private func stage(_ rights: Locked<String>, own: String = "lrswipkxtea") throws -> Stage {
    var dialect = ServerDialect.modern
    dialect.capabilities.insert("ACL")
    let stage = try Stage(dialect) { account in
      account.add(Self.shared)
      account.change(Self.shared) { box in
        for number in 0..<4 { box.deliver(SampleMessage(token: "s\(number)")) }
      }
    }
    stage.alter.value = { command, replies in
      switch command.name {
      case "NAMESPACE":
        return [
          .line(#"* NAMESPACE (("" "/")) NIL (("Shared/" "/"))"#), .line("\(command.tag) OK"),
        ]
      case "MYRIGHTS":
        let name = command.arguments.first?.text ?? ""
        let letters = name.hasPrefix("Shared/") ? rights.value : own
        return [
          .line("* MYRIGHTS \"\(name)\" \(letters)"), .line("\(command.tag) OK told"),
        ]
      default: return replies
      }
    }
    return stage
  }

  @Test func `what a shared mailbox does not allow is not even tried`() throws {
    let rights = Locked("lrs")
    let stage = try stage(rights)
    try stage.setFlags("s0", "F")
    try stage.setFlags("s1", "S")
    try stage.remove("s2")
    try stage.move("s3", to: "INBOX")
    try stage.move("m0", to: Self.shared)
    try stage.deliver("new", to: Self.shared)
    stage.forget()
    let outcome = stage.push(1)
    #expect(outcome.told.contains("no right"), "\(outcome.told)")
    #expect(outcome.told.contains("“lrs”"), "\(outcome.told)")
    #expect(stage.changes.count == 1 && stage.changes[0].contains("Seen"), "\(stage.changes)")
    #expect(stage.commands.filter { $0.hasPrefix("MYRIGHTS") }.count == 1, "asked once in a run")
    #expect(stage.flags("s1") == ["\\Seen"])

    // Said, kept, and not asked for again.
    stage.forget()
    stage.push(1)
    #expect(stage.commands == [], "\(stage.commands)")
    #expect(try stage.local("s0").flags == "F")
    #expect(try stage.local("s3").folder == "INBOX")
    #expect(try stage.local("m0").folder == Self.shared)

    rights.value = "lrswite"
    stage.push(0, PushOptions(full: true))
    #expect(stage.flags("s0") == ["\\Flagged"])
    #expect(stage.places("s2") == ["Trash"] && stage.places("s3") == ["INBOX"])
    #expect(stage.places("m0") == [Self.shared] && stage.places("new") == [Self.shared])

    // From then on without a word.
    try stage.remove("s0")
    try stage.move("m1", to: Self.shared)
    try stage.deliver("more", to: Self.shared)
    stage.push()
    #expect(stage.places("s0") == ["Trash"] && stage.places("m1") == [Self.shared])
    #expect(stage.places("more") == [Self.shared])
    try stage.expectSettled()
  }

  @Test func `one's own mailboxes are not asked about`() throws {
    let stage = try stage(Locked("lr"))
    try stage.setFlags("m0", "F")
    try stage.move("m1", to: "Work")
    stage.forget()
    stage.push()
    #expect(stage.commands.filter { $0.hasPrefix("MYRIGHTS") } == [])
  }

  @Test func `a mailbox that is opened read-only is not opened again where the rights say why`()
    throws
  {
    let stage = try stage(Locked("lr"), own: "lr")
    try stage.setFlags("m0", "F")
    stage.alter.value = { command, replies in
      if command.name == "MYRIGHTS" {
        return [.line("* MYRIGHTS INBOX lr"), .line("\(command.tag) OK told")]
      }
      guard command.name == "SELECT" else { return replies }
      return replies.dropLast() + [.line("\(command.tag) OK [READ-ONLY] look only")]
    }
    let outcome = stage.push(1)
    #expect(outcome.told.contains("read-only"), "\(outcome.told)")
    #expect(outcome.told.contains("“lr”"), "\(outcome.told)")
    stage.forget()
    stage.push(1)
    #expect(stage.commands == [], "\(stage.commands)")
    #expect(try stage.local("m0").flags == "F")
  }

  @Test func `a write that is refused for a right is checked, and given up at once`() throws {
    let stage = try stage(Locked(""), own: "lri")
    try stage.setFlags("m0", "F")
    try stage.remove("m1")
    stage.refusals.value = ["UID STORE", "UID MOVE"].map {
      .init(name: $0, words: "NO [NOPERM] not yours")
    }
    stage.push(1)
    stage.forget()
    stage.push(1)
    #expect(stage.commands == [], "\(stage.commands)")
    #expect(try stage.local("m0").flags == "F")
  }

  @Test func `a write that is refused against the rights is tried in three runs`() throws {
    let stage = try stage(Locked(""))
    try stage.setFlags("m0", "F")
    stage.refusals.value = [.init(name: "UID STORE", words: "NO [NOPERM] not yours")]
    for _ in 0..<3 {
      stage.forget()
      stage.push(1)
      #expect(stage.changes.count == 1)
    }
    stage.forget()
    stage.push(1)
    #expect(stage.commands == [])
  }

  @Test func `new messages that may not be put there are sent in three runs, and kept`() throws {
    let stage = try Stage(.modern)
    for number in 0..<3 { try stage.deliver("n\(number)", to: "Work") }
    stage.refusals.value = [.init(name: "APPEND", words: "NO [NOPERM] not yours")]
    for _ in 0..<3 {
      stage.forget()
      let outcome = stage.push(1)
      #expect(stage.changes.count == 3)
      #expect(outcome.told.components(separatedBy: "no right").count == 2, "said once")
    }
    stage.forget()
    stage.push(1)
    #expect(stage.commands == [])
    #expect(try stage.tree()["Work"].count == 3)
    stage.refusals.value = []
    stage.push(0, PushOptions(full: true))
    try stage.deliver("n3", to: "Work")
    stage.push()
    #expect(stage.account["Work"]?.messages.count == 4)
    try stage.expectSettled()
  }
}
