import Foundation
import MailTestKit
import Testing

/// A push that is cut off while the server renames a mailbox, and what a person does to the folders then.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct UnfinishedRenameTests {
  static let layouts = PushFolderRenameTests.layouts

  enum Next: String, CaseIterable { case push, pull }

  /// Cut off behind the server's rename of Work to Job.
  private func stage(_ layout: String, _ dialect: Dialect = .modern) throws -> PushStage {
    let stage = try PushStage.renamable(layout, dialect)
    try stage.rename("Work", to: "Job", layout)
    try stage.killPush(at: "RENAME")
    try #require(stage.account["Work"] == nil && stage.account["Job/sub"] != nil)
    stage.server.forget()
    return stage
  }

  private func run(_ next: Next, _ stage: PushStage) throws {
    if next == .pull { try stage.mirror.pull() }
    try stage.push()
    try stage.mirror.pull()
  }

  private func expect(_ stage: PushStage, _ name: String, _ layout: String) throws {
    #expect(stage.places("w0") == [name] && stage.places("s0") == [name + "/sub"])
    #expect(try stage.local("w0").folder == PushStage.folder(name, layout))
    #expect(try stage.local("s0").folder == PushStage.folder(name + "/sub", layout))
    try stage.expectAtRest()
    #expect(stage.places("w0") == [name] && stage.places("s0") == [name + "/sub"])
  }

  @Test(arguments: layouts, Next.allCases)
  func `a rename that nobody heard the answer to is not asked for again`(
    layout: String, next: Next
  ) throws {
    let stage = try stage(layout)
    try run(next, stage)
    #expect(stage.changes == [])
    #expect(stage.server.server.bodyFetches == [])
    try expect(stage, "Job", layout)
  }

  @Test(arguments: layouts, [Dialect.modern, .bare])
  func `a folder that got its old name back takes it back to the server`(
    layout: String, dialect: Dialect
  ) throws {
    let stage = try stage(layout, dialect)
    try stage.rename("Job", to: "Work", layout)
    let dry = try stage.push(0, "--dry-run").outputText
    #expect(dry.contains("personal/Job: rename to Work"), "\(dry)")
    let pushed = try stage.push().outputText
    // One that was done already, and one that takes it back.
    let figures = "0 moved, 0 sent, 0 deleted, 0 waiting, 2 folders"
    #expect(dry.contains(figures) && pushed.contains(figures), "\(dry) \(pushed)")
    #expect(stage.changes.count == 1 && stage.changes[0].contains("RENAME"), "\(stage.changes)")
    try expect(stage, "Work", layout)
  }

  @Test(arguments: layouts, Next.allCases)
  func `a folder that got a third name keeps it`(layout: String, next: Next) throws {
    let stage = try stage(layout)
    try stage.rename("Job", to: "Third", layout)
    try run(next, stage)
    #expect(stage.changes.count == 1 && stage.changes[0].contains("RENAME"), "\(stage.changes)")
    try expect(stage, "Third", layout)
  }

  @Test(
    arguments: layouts.flatMap { name in Next.allCases.map { (name, $0) } },
    [Dialect.modern, .bare])
  func `a folder made under the old name is a mailbox of its own`(
    way: (layout: String, next: Next), dialect: Dialect
  ) throws {
    let (layout, next) = way
    let stage = try stage(layout, dialect)
    for name in ["Work", "Work/sub"] {
      try stage.makeFolder(PushStage.folder(name, layout))
      try stage.deliver(name == "Work" ? "one" : "two", to: PushStage.folder(name, layout))
    }
    let foreseen = try stage.mirror.run([next.rawValue, "--dry-run"])
    #expect(foreseen.ending == .exited(0), "\(foreseen.summary)")
    try run(next, stage)
    #expect(stage.places("one") == ["Work"] && stage.places("two") == ["Work/sub"])
    try expect(stage, "Job", layout)
  }

  @Test func `a connection that is lost over a rename is made again, and the rename not`() throws {
    let stage = try PushStage.renamable("nested")
    try stage.rename("Work", to: "Job", "nested")
    try stage.deliver("fresh", to: "Job/sub")
    let isLost = Locked(false)
    stage.server.alter { command, replies in
      guard command.name == "RENAME", !isLost.value else { return replies }
      isLost.value = true
      return [.hangUp]
    }
    let pushed = try stage.push().outputText
    #expect(pushed.contains("1 sent, 0 deleted, 0 waiting, 1 folder,"), "\(pushed)")
    #expect(stage.server.server.received(named: ["RENAME"]).count == 1)
    #expect(stage.places("fresh") == ["Job/sub"])
    try expect(stage, "Job", "nested")
  }

  @Test(arguments: layouts, Next.allCases)
  func `a rename that never reached the server is asked for again`(layout: String, next: Next)
    throws
  {
    let stage = try PushStage.renamable(layout)
    try stage.rename("Work", to: "Job", layout)
    stage.refusals.value = [("RENAME", "", "NO not heard")]
    try stage.killPush(at: "RENAME")
    stage.refusals.value = []
    try #require(stage.account["Work"] != nil)
    // What a pull makes of renamed folders that were not pushed is another matter.
    if next == .pull { try stage.rename("Job", to: "Work", layout) }
    try run(next, stage)
    try expect(stage, next == .pull ? "Work" : "Job", layout)
  }

  @Test func `a folder left behind below a renamed one follows after the interruption`() throws {
    let stage = try PushStage.renamable("maildir++")
    let account = stage.mirror.account
    try FileManager.default.moveItem(atPath: account + "/.Work", toPath: account + "/.Job")
    try stage.killPush(at: "RENAME")
    stage.server.forget()
    try stage.push()
    #expect(stage.changes == [])
    try expect(stage, "Job", "maildir++")
  }

  @Test func `a mailbox that somebody else made under the new name is not taken for the old one`()
    throws
  {
    let stage = try PushStage.renamable("nested")
    try stage.rename("Work", to: "Job", "nested")
    stage.refusals.value = [("RENAME", "", "NO not heard")]
    try stage.killPush(at: "RENAME")
    stage.refusals.value = []
    for name in ["Work", "Work/sub"] { stage.account[name] = nil }
    stage.account.add("Job", uidValidity: 1_700_000_001)
    stage.account.change("Job") { $0.deliver(SampleMessage(token: "theirs")) }
    for _ in 0..<3 {
      _ = try stage.mirror.run(["push"])
      _ = try stage.mirror.pull()
    }
    #expect(stage.places("theirs") == ["Job"])
    #expect(try stage.local("theirs").folder == "Job")
  }

  @Test(arguments: layouts) func `what was put in the place of a folder left behind stays there`(
    layout: String
  ) throws {
    let stage = try PushStage.renamable(layout) { account in
      account.add("Other")
      account.change("Other") { $0.deliver(SampleMessage(token: "o0")) }
    }
    func move(_ folder: String, to other: String) throws {
      try FileManager.default.moveItem(
        atPath: stage.mirror.account + "/" + PushStage.folder(folder, layout),
        toPath: stage.mirror.account + "/" + PushStage.folder(other, layout))
    }
    // Work alone: the one below it stays.
    if layout == "nested" {
      try FileManager.default.createDirectory(
        atPath: stage.mirror.account + "/Job", withIntermediateDirectories: false)
      for part in ["/cur", "/new", "/tmp"] { try move("Work" + part, to: "Job" + part) }
    } else {
      try move("Work", to: "Job")
    }
    try stage.killPush(at: "RENAME")
    try move("Work/sub", to: "Work/kept")
    try move("Other", to: "Work/sub")
    for _ in 0..<2 {
      try stage.push()
      try stage.mirror.pull()
    }
    #expect(stage.places("w0") == ["Job"] && stage.places("s0") == ["Work/kept"])
    #expect(stage.places("o0") == ["Work/sub"])
    #expect(try stage.local("o0").folder == PushStage.folder("Work/sub", layout))
    try stage.expectAtRest()
  }
}
