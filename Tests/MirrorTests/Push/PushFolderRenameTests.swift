import Foundation
import MailTestKit
import Testing

/// Renamed folders, and new ones that have their old names.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFolderRenameTests {
  static let layouts = ["nested", "maildir++"]

  @Test(arguments: layouts, [0, 2])
  func `a folder made at the old place of one below a renamed folder is a mailbox of its own`(
    layout: String, count: Int
  ) throws {
    let stage = try PushStage.renamable(layout, below: count)
    try stage.rename("Work", to: "Job", layout)
    let new = PushStage.folder("Work/sub", layout)
    try stage.makeFolder(new)
    try stage.deliver("fresh", to: new)
    let dry = try stage.push(0, "--dry-run").outputText
    #expect(dry.contains("personal/Work/sub: make this mailbox"), "\(dry)")
    let pushed = try stage.push().outputText
    #expect(stage.places("fresh") == ["Work/sub"] && stage.places("w0") == ["Job"])
    #expect(stage.account["Job/sub"]?.messages.count == count)
    #expect(stage.server.server.received(named: ["MOVE", "COPY"]) == [])
    let figures = "1 sent, 0 deleted, 0 waiting, 2 folders"
    #expect(dry.contains(figures) && pushed.contains(figures), "\(dry) \(pushed)")
    try stage.expectAtRest()
    try stage.deliver("more", to: PushStage.folder("Job/sub", layout))
    try stage.push()
    #expect(stage.places("more") == ["Job/sub"])
  }

  /// A person merged one into what was only a level above another.
  private func merge(_ folder: String, into other: String, _ stage: PushStage) throws {
    for part in ["cur", "new", "tmp"] {
      try FileManager.default.moveItem(
        atPath: "\(stage.mirror.account)/\(folder)/\(part)",
        toPath: "\(stage.mirror.account)/\(other)/\(part)")
    }
  }

  @Test func `a refused rename takes no other folder along`() throws {
    let stage = try PushStage(.modern) { account in
      for name in ["b", "job/x"] {
        account.add(name)
        account.change(name) { $0.deliver(SampleMessage(token: "in" + name.suffix(1))) }
      }
    }
    stage.refusals.change { $0.append((name: "RENAME", part: "", words: "NO [ALREADYEXISTS] no")) }
    try merge("b", into: "job", stage)
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/b")
    for _ in 0..<2 {
      let outcome = try stage.push(1)
      #expect(stage.places("inb") == ["b"], "\(outcome.summary) \(stage.changes)")
      #expect(stage.places("inx") == ["job/x"])
      _ = try stage.local("inx", in: "job/x")
    }
    stage.refusals.change { $0 = [] }
    try stage.push(0, "--full")
    try stage.expectAtRest()
    #expect(stage.places("inb") == ["job"] && stage.places("inx") == ["job/x"])
  }

  @Test func `a mailbox that is gone leaves its folder to the one that was renamed`() throws {
    let stage = try PushStage(.modern) { account in
      for name in ["a", "a/x", "job/x"] {
        account.add(name)
        account.change(name) { box in
          box.deliver(SampleMessage(token: "in" + name.replacing("/", with: "")))
        }
      }
    }
    stage.account.change { $0.removeAll { $0.name == "job/x" } }
    try merge("a", into: "job", stage)
    try stage.push()
    #expect(stage.places("ina") == ["job"] && stage.places("inax") == ["job/x"])
    try stage.deliver("fresh", to: "job/x")
    try stage.push()
    #expect(stage.places("fresh") == ["job/x"])
    try stage.expectAtRest()
    _ = try stage.local("inax", in: "job/x")
    #expect(try stage.mirror.tree().count(of: "<injobx@") == 1)
  }

  @Test func `a name that only has others below it can become a mailbox`() throws {
    let stage = try PushStage(.modern) { account in
      account.add("job", attributes: ["\\Noselect"])
      account.add("job/x")
    }
    try stage.makeFolder("job")
    try stage.deliver("fresh", to: "job")
    stage.server.alter { [account = stage.account] command, replies in
      guard command.name == "CREATE" else { return replies }
      account.change("job") { $0.attributes = [] }
      return [.line("\(command.tag) OK made")]
    }
    try stage.push()
    #expect(stage.places("fresh") == ["job"])
  }

  @Test func `a folder that gets a renamed one's old name is made in one push`() throws {
    let stage = try PushStage(.modern)
    try stage.makeFolder("%C3%A4")
    try stage.deliver("a0", to: "%C3%A4")
    try stage.push()
    try stage.mirror.pull()
    let account = stage.mirror.account
    try FileManager.default.moveItem(atPath: account + "/%C3%A4", toPath: account + "/Other")
    try stage.makeFolder("ä")
    try stage.deliver("fresh", to: "ä")
    try stage.push()
    #expect(stage.places("a0") == ["Other"] && stage.places("fresh") == ["&AOQ-"])
    try stage.expectAtRest()
  }

  @Test func `a mailbox that is gone keeps its name from none that went along`() throws {
    let stage = try PushStage.renamable("nested", below: 2) { $0.add("Job/sub") }
    stage.account["Job/sub"] = nil
    try stage.mirror.pull()
    try? FileManager.default.removeItem(atPath: stage.mirror.account + "/Job")
    try stage.rename("Work", to: "Job", "nested")
    try stage.push()
    #expect(stage.places("w0") == ["Job"] && stage.places("s0") == ["Job/sub"])
    try stage.deliver("fresh", to: "Job/sub")
    try stage.push()
    #expect(stage.places("fresh") == ["Job/sub"])
    try stage.expectAtRest()
  }
}

extension PushStage {
  static func renamable(
    _ layout: String, _ dialect: Dialect = .modern, below: Int = 2,
    more: (MailAccount) throws -> Void = { _ in }
  ) throws -> PushStage {
    try PushStage(dialect, count: 2, sync: "layout = \"\(layout)\"") { account in
      account.add("Work/sub")
      for (name, letter, count) in [("Work", "w", 3), ("Work/sub", "s", below)] {
        account.change(name) { box in
          for number in 0..<count { box.deliver(SampleMessage(token: "\(letter)\(number)")) }
        }
      }
      try more(account)
    }
  }

  static func folder(_ mailbox: String, _ layout: String) -> String {
    layout == "nested" ? mailbox : "." + mailbox.replacing("/", with: ".")
  }

  /// With `sub`, which in the flat layout a person renames by itself.
  func rename(_ old: String, to new: String, _ layout: String) throws {
    for part in layout == "nested" ? [""] : ["", "/sub"] {
      try FileManager.default.moveItem(
        atPath: mirror.account + "/" + Self.folder(old + part, layout),
        toPath: mirror.account + "/" + Self.folder(new + part, layout))
    }
  }

  /// Neither direction has anything to do, and nothing is written.
  func expectAtRest(location: SourceLocation = #_sourceLocation) throws {
    for _ in 0..<2 {
      try mirror.pull()
      try push(location: location)
    }
    server.forget()
    let before = TreeSnapshot(mirror.account, leavingOut: Scenario.isBookkeeping)
    try push(location: location)
    try mirror.pull()
    let after = TreeSnapshot(mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(changes == [] && server.server.bodyFetches == [], sourceLocation: location)
    #expect(before.changes(to: after) == [], sourceLocation: location)
  }
}
