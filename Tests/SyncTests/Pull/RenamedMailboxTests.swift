import MailTestKit
import SyncPlan
import Testing

/// `Mailbox/Renames` and `FolderRelocations`: folders follow mailboxes that the server renamed.
struct RenamedMailboxTests {
  private func stage(_ speaking: Speaking = .modern) throws -> Stage {
    try Stage(
      speaking.dialect,
      more: { account in
        account.add("Work/Sub", uidValidity: 1_500_000_001)
        account.change("Work") { box in
          box.uidValidity = 1_500_000_002
          box.deliver(SampleMessage(token: "w0"))
        }
        account.change("Work/Sub") { $0.deliver(SampleMessage(token: "s0")) }
      })
  }

  private func rename(_ stage: Stage) throws {
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name.hasPrefix("Work") {
        boxes[index].name = "Job" + boxes[index].name.dropFirst(4)
      }
    }
  }

  private func expectFollowed(_ stage: Stage, _ when: String) throws {
    #expect(try stage.folders(of: "w0") == ["Job"] && stage.places("w0") == ["Job"], "\(when)")
    #expect(try stage.folders(of: "s0") == ["Job/Sub"], "\(when)")
    #expect(stage.account["Work"] == nil, "\(when)")
  }

  @Test(arguments: Speaking.allCases) func `the folder follows, without a download`(
    speaking: Speaking
  ) throws {
    let stage = try stage(speaking)
    try rename(stage)
    let summary = stage.pull()
    #expect(summary.mailboxes.contains { $0.renamedFrom == "Work" }, "\(summary.mailboxes)")
    #expect(stage.bodyFetches == [])
    try expectFollowed(stage, "renamed")
    try stage.expectSettled()
  }

  /// As Courier does.
  @Test(arguments: [Speaking.copying, .bare])
  func `a mailbox that is numbered anew as it is renamed keeps its folder`(speaking: Speaking)
    throws
  {
    let stage = try stage(speaking)
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == "Work/Sub" {
        boxes[index].name = "Elsewhere"
        boxes[index].uidValidity = 1_600_000_000
      }
    }
    let summary = stage.pull()
    #expect(summary.mailboxes.contains { $0.renamedFrom == "Work/Sub" }, "\(summary.mailboxes)")
    #expect(stage.bodyFetches == [])
    #expect(try stage.folders(of: "s0") == ["Elsewhere"])
    try stage.expectSettled()
  }

  @Test func `a new mailbox with as many messages is no new name of one that was deleted`() throws {
    let stage = try stage(.bare)
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == "Work/Sub" {
        boxes[index].name = "Elsewhere"
        boxes[index].uidValidity = 1_600_000_000
        boxes[index].messages[0].bytes = SampleMessage(token: "other").bytes
      }
    }
    let summary = stage.pull()
    #expect(!summary.mailboxes.contains { $0.renamedFrom != nil }, "\(summary.mailboxes)")
    #expect(try stage.folders(of: "s0") == ["Work/Sub"])
    #expect(try stage.folders(of: "other") == ["Elsewhere"])
  }

  @Test(arguments: Speaking.swept) func `a crash at any commit leaves each message once`(
    speaking: Speaking
  ) throws {
    try Stage.crashes(of: .pull, on: { try stage(speaking) }, rename, expect: expectFollowed)
  }

  // MARK: Copies of whole mailboxes

  /// Mailboxes of a server that has no MAILBOXID, some with one UIDVALIDITY; those that begin with A hold the same.
  private func stage(_ mailboxes: KeyValuePairs<String, UInt32>) throws -> Stage {
    try Stage(
      .bare,
      more: { account in
        for (name, number) in mailboxes { add(name, number, to: account) }
      })
  }

  private func add(_ name: String, _ number: UInt32, to account: MailAccount) {
    account.add(name, uidValidity: number)
    account.change(name) { box in
      for token in 0..<3 {
        box.deliver(SampleMessage(token: "\(name.prefix(1))\(token)".lowercased()))
      }
    }
  }

  private func rename(_ old: String, to new: String, _ stage: Stage) {
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == old { boxes[index].name = new }
    }
  }

  private func expectFlag(of token: String, in mailbox: String, _ stage: Stage) throws {
    stage.pull()
    stage.push()
    #expect(try stage.remote(token, in: mailbox).flags == ["\\Flagged"])
    let tree = try stage.tree()
    #expect(tree.message(with: "<\(token)@", in: mailbox)?.flags.contains("F") == true)
  }

  @Test func `of two that hold the same the one with the number was renamed`() throws {
    let stage = try stage(["A1": 1_500_000_011, "A2": 4000, "Z": 4000])
    try stage.reader.setFlags(stage.local("a0", in: "A2"), "F")
    stage.account["A1"] = nil
    rename("A2", to: "L", stage)
    try expectFlag(of: "a0", in: "L", stage)
  }

  @Test func `of two names the one with the number is the renamed one's`() throws {
    let stage = try stage(["A": 4000, "Z": 4000])
    try stage.setFlags("a0", "F")
    rename("A", to: "C", stage)
    add("AB", 1_500_000_011, to: stage.account)
    try expectFlag(of: "a0", in: "C", stage)
    #expect(try stage.remote("a0", in: "AB").flags == [])
  }

  @Test func `a copy under the number of a deleted one is no new name`() throws {
    let stage = try stage(["A": 1_500_000_011, "K": 7000])
    try stage.setFlags("a0", "F")
    stage.account["K"] = nil
    rename("A", to: "Z", stage)
    add("AB", 7000, to: stage.account)
    try expectFlag(of: "a0", in: "Z", stage)
    #expect(try stage.remote("a0", in: "AB").flags == [])
  }
}
