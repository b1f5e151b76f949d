import Foundation
import MailTestKit
import Testing

/// Folders that take each other's places, where a download has left the same times in both.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct ExchangedFolderTests {
  private func stage(_ dialect: Dialect = .modern, sync: String = "") throws -> PushStage {
    let stage = try PushStage(dialect, count: 2, sync: sync) { account in
      for (name, letter, count) in [("One", "a", 2), ("Two", "b", 1)] {
        account.add(name)
        account.change(name) { box in
          for number in 0..<count { box.deliver(SampleMessage(token: "\(letter)\(number)")) }
        }
      }
    }
    let then = Date(timeIntervalSinceNow: -1000)
    for path in ["One/cur", "One/new", "Two/cur", "Two/new"] {
      try FileManager.default.setAttributes(
        [.modificationDate: then], ofItemAtPath: "\(stage.mirror.account)/\(path)")
    }
    // What it found at rest it remembers.
    try stage.reader.setFlags(stage.local("m0"), "F")
    try stage.push()
    try stage.mirror.pull()
    stage.server.forget()
    return stage
  }

  private func move(_ folder: String, to other: String, _ stage: PushStage) throws {
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/" + folder, toPath: stage.mirror.account + "/" + other)
  }

  private func exchange(_ stage: PushStage) throws {
    try move("One", to: "between", stage)
    try move("Two", to: "One", stage)
    try move("between", to: "Two", stage)
  }

  private func expect(_ places: [String: String], _ stage: PushStage) throws {
    for (token, place) in places {
      #expect(stage.places(token) == [place], "\(token)")
      _ = try stage.local(token, in: place)
      #expect(try stage.mirror.tree().count(of: "<\(token)@") == 1, "\(token)")
    }
    try stage.expectAtRest()
  }

  @Test(arguments: ["", "deletions = \"expunge\""], [true, false])
  func `their messages go where they are now, and none is removed`(sync: String, isMarked: Bool)
    throws
  {
    let stage = try stage(sync: sync)
    try exchange(stage)
    if isMarked { try stage.reader.setFlags(stage.local("a0"), "F") }
    try stage.push()
    #expect(stage.server.server.received(named: ["APPEND", "EXPUNGE"]) == [])
    try expect(["a0": "Two", "a1": "Two", "b0": "One"], stage)
    #expect(stage.account["Trash"]?.messages.isEmpty == true)
    if isMarked { #expect(stage.flags("a0") == ["\\Flagged"]) }
  }

  @Test func `a folder put in a renamed one's place is not taken for it`() throws {
    let stage = try stage()
    try move("One", to: "Old", stage)
    try move("Two", to: "One", stage)
    try stage.push()
    try expect(["a0": "Old", "a1": "Old", "b0": "One"], stage)
    #expect(stage.account["Trash"]?.messages.isEmpty == true)
  }

  /// What was found at rest in it was held against what the mailbox had then.
  @Test func `a folder that comes back to its old place is looked into`() throws {
    let stage = try stage()
    try move("One", to: "Other", stage)
    try stage.makeFolder("One")
    try stage.deliver("fresh", to: "One")
    try stage.push()
    for _ in 0..<2 {
      try stage.mirror.pull()
      try stage.push()
    }
    try move("One", to: "between", stage)
    try move("Other", to: "One", stage)
    try move("between", to: "Other", stage)
    try stage.push()
    try expect(["a0": "One", "a1": "One", "fresh": "Other"], stage)
    #expect(stage.account["Trash"]?.messages.isEmpty == true)
  }

  @Test(arguments: [Dialect.modern, Dialect(capabilities: ["UIDPLUS"])])
  func `so is one that was empty in between`(
    dialect: Dialect
  ) throws {
    let stage = try stage(dialect)
    try move("One", to: "between", stage)
    try stage.makeFolder("One")
    try move("between", to: "One/sub", stage)
    try stage.push()
    try stage.mirror.pull()
    try stage.push()
    try move("One/sub", to: "between", stage)
    try move("One", to: "between/old", stage)
    try move("between", to: "One", stage)
    try stage.push()
    try expect(["a0": "One", "a1": "One"], stage)
  }

  @Test func `the index follows them`() throws {
    let stage = try stage()
    #expect(try stage.mirror.run(["index"]).status == 0)
    // Times that the index may rely on.
    usleep(100_000)
    #expect(try stage.mirror.run(["index"]).status == 0)
    try exchange(stage)
    let outcome = try stage.mirror.run(["index"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let found = try stage.mirror.run(["search", "--format", "paths", "folder:Two"]).outputText
    let paths = found.split(separator: "\n").map(String.init)
    #expect(paths.count == 2, "\(found)")
    for path in paths { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
  }
}
