import Foundation
import MailTestKit
import Testing

/// Folders below others that are renamed, here or by another client.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFolderLevelTests {
  /// Mailboxes with so many messages, called after them: `a/x` has `ax0`, `ax1` …
  private func stage(_ mailboxes: [(name: String, count: Int)]) throws -> PushStage {
    try PushStage(.modern, count: 2) { account in
      for (name, count) in mailboxes {
        account.add(name)
        account.change(name) { box in
          for number in 0..<count {
            box.deliver(SampleMessage(token: name.replacing("/", with: "") + "\(number)"))
          }
        }
      }
    }
  }

  private func move(_ folder: String, to other: String, _ stage: PushStage) throws {
    let place = stage.mirror.account + "/" + other
    try FileManager.default.createDirectory(
      atPath: (place as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/" + folder, toPath: place)
  }

  private func remove(_ folder: String, _ stage: PushStage, parts: [String] = [""]) throws {
    for part in parts {
      try FileManager.default.removeItem(atPath: stage.mirror.account + "/" + folder + part)
    }
  }

  private func makeFolder(_ folder: String, with token: String, _ stage: PushStage) throws {
    try stage.makeFolder(folder)
    try stage.deliver(token, to: folder)
  }

  private func renameThere(_ old: String, to new: String, _ stage: PushStage) {
    stage.account.change { boxes in
      for index in boxes.indices {
        let name = boxes[index].name
        guard name == old || name.hasPrefix(old + "/") else { continue }
        boxes[index].name = new + name.dropFirst(old.count)
      }
    }
  }

  private func expect(
    _ places: [String: String], _ stage: PushStage, location: SourceLocation = #_sourceLocation
  ) throws {
    for (token, place) in places {
      #expect(stage.places(token) == [place], "\(token)", sourceLocation: location)
      _ = try stage.local(token, in: place)
    }
    try stage.expectAtRest(location: location)
  }

  @Test(arguments: [true, false])
  func `a mailbox without a folder is renamed along, and its old place is free`(isPulled: Bool)
    throws
  {
    let stage = try stage([("a", 2), ("a/x", 1), ("b", 1)])
    try stage.reader.move(stage.local("ax0"), to: "b")
    try remove("a/x", stage)
    try move("a", to: "job", stage)
    try stage.push()
    if isPulled { try stage.mirror.pull() }
    try makeFolder("a", with: "one", stage)
    try makeFolder("a/x", with: "two", stage)
    try stage.push()
    try expect(["a0": "job", "ax0": "b", "one": "a", "two": "a/x"], stage)
    #expect(stage.account["job/x"]?.messages.isEmpty == true)
  }

  @Test func `a folder put below one that another client renamed waits for the pull`() throws {
    for isNew in [true, false] {
      let stage = try stage([("kid", 2), ("c", 1)])
      renameThere("kid", to: "b", stage)
      if isNew {
        try makeFolder("kid/x", with: "c0", stage)
        try remove("c", stage)
        stage.account["c"] = nil
      } else {
        try move("c", to: "kid/x", stage)
      }
      _ = try stage.mirror.run(["push"])
      #expect(stage.changes == [])
      for _ in 0..<2 { _ = try stage.mirror.run(["sync", "--no-index"]) }
      try expect(["kid0": "b", "c0": "b/x"], stage)
      #expect(stage.account.mailboxes.allSatisfy { !$0.name.hasPrefix("kid") })
    }
  }

  @Test func `a folder whose mailbox was not renamed along stays where it is`() throws {
    let stage = try stage([("kid", 2), ("kid/x", 1)])
    stage.account.change { boxes in
      for index in boxes.indices where boxes[index].name == "kid" { boxes[index].name = "b" }
    }
    try stage.mirror.pull()
    try stage.deliver("fresh", to: "kid/x")
    try stage.push()
    try expect(["kid0": "b", "kidx0": "kid/x", "fresh": "kid/x"], stage)
  }

  @Test func `a pull leaves no empty directory that looks like a disk's place`() throws {
    let stage = try stage([("b", 1), ("b/b", 1)])
    try stage.reader.move(stage.local("b0"), to: "b/b")
    try remove("b", stage, parts: ["/cur", "/new", "/tmp"])
    renameThere("b/b", to: "job", stage)
    try stage.mirror.pull()
    #expect(!FileManager.default.fileExists(atPath: stage.mirror.account + "/b/b"))
    for _ in 0..<2 { _ = try stage.mirror.run(["sync", "--no-index"]) }
    try expect(["b0": "job", "bb0": "job"], stage)
  }

  @Test func `a folder moved below its own old name is a mailbox of its own`() throws {
    let stage = try stage([("c", 2), ("c/y", 1)])
    try move("c", to: "between", stage)
    try move("between", to: "c/d", stage)
    try stage.deliver("fresh", to: "c/d")
    let dry = try stage.push(0, "--dry-run").outputText
    #expect(dry.contains("c/d: make this mailbox"), "\(dry)")
    try stage.push()
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)
    try expect(["c0": "c/d", "c1": "c/d", "cy0": "c/d/y", "fresh": "c/d"], stage)
  }

  @Test func `so is one below a folder that was renamed itself`() throws {
    let stage = try stage([("kid", 1), ("kid/a", 2)])
    try move("kid/a", to: "between", stage)
    try makeFolder("kid/a", with: "fresh", stage)
    try move("between", to: "kid/a/b", stage)
    try move("kid", to: "job/c", stage)
    let dry = try stage.push(0, "--dry-run").outputText
    #expect(dry.contains("job/c/a/b: make this mailbox"), "\(dry)")
    try stage.push()
    #expect(stage.server.server.received(named: ["RENAME"]).count == 1)
    try expect(["kid0": "job/c", "kida0": "job/c/a/b", "fresh": "job/c/a"], stage)
  }

  @Test func `two folders below a renamed one that exchanged their names stay what they are`()
    throws
  {
    let stage = try stage([("b", 1), ("b/k", 2), ("b/l", 3)])
    try move("b/k", to: "between", stage)
    try move("b/l", to: "b/k", stage)
    try move("between", to: "b/l", stage)
    try move("b", to: "x", stage)
    try stage.push()
    #expect(stage.server.server.received(named: ["RENAME"]).count == 1)
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
    try expect(["b0": "x", "bk0": "x/l", "bk1": "x/l", "bl0": "x/k", "bl2": "x/k"], stage)
  }

  @Test func `what is put below a folder's old name does not go along with it`() throws {
    let stage = try stage([("job", 1), ("job/y", 1), ("all", 2)])
    try move("job", to: "past/job", stage)
    try move("all", to: "job/x", stage)
    let dry = try stage.push(0, "--dry-run").outputText
    #expect(dry.contains("personal/all: rename to job/x"), "\(dry)")
    try stage.push()
    #expect(stage.server.server.received(named: ["RENAME"]).count == 2)
    try expect(["job0": "past/job", "joby0": "past/job/y", "all0": "job/x"], stage)
  }

  @Test(arguments: [true, false]) func `mail that was moved leaves no disk to be mounted behind`(
    isComplete: Bool
  ) throws {
    let stage = try stage([("a", 3), ("b", 1)])
    for number in 0..<3 { try stage.reader.move(stage.local("a\(number)"), to: "b") }
    try remove("a", stage, parts: ["/cur", "/new", "/tmp"])
    if !isComplete { try stage.reader.remove(stage.local("a2")) }
    let outcome = try stage.mirror.run(["push"])
    #expect(outcome.errorText.contains("not mounted") != isComplete, "\(outcome.summary)")
    #expect(stage.places("a2") == (isComplete ? ["b"] : ["a"]))
    if !isComplete {
      // Moved or copied: until that shows, nothing is there twice, and other work goes on.
      #expect(outcome.errorText.contains("2 changes wait"), "\(outcome.summary)")
      #expect(stage.places("a0") == ["a"] && stage.changes == [])
      try stage.deliver("fresh", to: "b")
      try stage.push(1)
      #expect(stage.places("fresh") == ["b"] && stage.places("a0") == ["a"])
      try remove("a", stage)
      try stage.push(1)
      #expect(stage.places("a0") == ["b"] && stage.places("a1") == ["b"])
      #expect(stage.places("a2") == ["a"], "the folder is gone, which waits for a word")
      try stage.push(0, "--allow-mass-delete")
      #expect(stage.places("a2") == ["Trash"])
      return
    }
    try expect(["a0": "b", "a1": "b", "a2": "b", "b0": "b"], stage)
  }

  @Test func `a keyword makes it no other mail`() throws {
    let stage = try stage([("a", 3)])
    #expect(try stage.mirror.run(["index"]).status == 0)
    #expect(try stage.mirror.run(["flag", "--yes", "+todo", "subject:a1"]).status == 0)
    try stage.makeFolder("zz")
    for part in ["/cur", "/new", "/tmp"] {
      try remove("zz", stage, parts: [part])
      try move("a" + part, to: "zz" + part, stage)
    }
    try stage.push()
    try expect(["a0": "zz", "a1": "zz", "a2": "zz"], stage)
    #expect(stage.flags("a1").contains("todo"))
    #expect(stage.server.server.received(named: ["COPY", "APPEND"]) == [])
  }

  /// No server gives it to a mailbox that has a name: it becomes one, and gets the messages.
  @Test func `a folder moved to a name that only has others below it is a mailbox there`() throws {
    let stage = try stage([("job/kid", 2), ("job/other", 1)])
    stage.account.add("job", attributes: ["\\Noselect"])
    try stage.mirror.pull()
    for part in ["/cur", "/new", "/tmp"] { try move("job/kid" + part, to: "job" + part, stage) }
    try remove("job/kid", stage)
    try stage.deliver("fresh", to: "job")
    try stage.push()
    #expect(stage.server.server.received(named: ["RENAME"]) == [])
    try expect(
      ["jobkid0": "job", "jobkid1": "job", "fresh": "job", "jobother0": "job/other"], stage)
  }

  @Test func `a folder below one whose own mail was moved away stays where it is`() throws {
    let stage = try stage([("kid", 1), ("kid/k", 2), ("kid/k/job", 1)])
    try move("kid", to: "c", stage)
    try stage.makeFolder("c/x")
    for part in ["cur", "new", "tmp"] {
      try remove("c/x", stage, parts: ["/" + part])
      try move("c/k/" + part, to: "c/x/" + part, stage)
    }
    let dry = try stage.push(0, "--dry-run").outputText
    #expect(dry.contains("personal/kid: rename to c"), "\(dry)")
    try stage.push()
    try expect(["kid0": "c", "kidk0": "c/x", "kidkjob0": "c/k/job"], stage)
  }

  @Test(arguments: ["b", "k"]) func `of two folders made one that of more messages is the renamed`(
    few: String
  ) throws {
    let stage = try stage([(few, 1), ("c", 4)])
    try move("c", to: "all", stage)
    try stage.reader.move(stage.local(few + "0"), to: "all")
    try remove(few, stage)
    try stage.push()
    #expect(stage.server.server.received(named: ["MOVE"]).count == 1)
    #expect(stage.server.server.received(named: ["RENAME"]).allSatisfy { $0.contains("\"c\"") })
    try expect(["c0": "all", few + "0": "all"], stage)
    #expect(stage.account["c"] == nil && stage.account[few]?.messages.isEmpty == true)
  }

  @Test func `a folder with more of another's mail goes along with the one above it`() throws {
    let stage = try stage([("x", 1), ("x/kid", 1), ("x/kid/job", 3)])
    for number in 0..<3 { try stage.reader.move(stage.local("xkidjob\(number)"), to: "x/kid") }
    try remove("x/kid/job", stage)
    try move("x", to: "kid", stage)
    try stage.push()
    #expect(stage.server.server.received(named: ["RENAME"]).count == 1)
    try expect(["x0": "kid", "xkid0": "kid/kid", "xkidjob0": "kid/kid"], stage)
  }

  @Test func `of an empty mailbox that is gone the folder's new mail is sent all the same`() throws
  {
    let stage = try stage([("a", 0), ("b", 1)])
    stage.account["a"] = nil
    try stage.deliver("fresh", to: "a")
    try stage.reader.move(stage.local("b0"), to: "a")
    _ = try stage.mirror.run(["push"])
    #expect(stage.places("fresh") == [] && stage.places("b0") == ["b"])
    let pulled = try stage.mirror.pull()
    #expect(pulled.errorText.contains("a push makes the mailbox again"), "\(pulled.summary)")
    try stage.push()
    try expect(["fresh": "a", "b0": "a"], stage)
  }

  /// Long after its mailbox was deleted somewhere, and its own folder here.
  @Test(arguments: [0, 2]) func `a folder that is called as one was is a mailbox of its own`(
    count: Int
  ) throws {
    let stage = try stage([("a", count)])
    stage.account["a"] = nil
    try stage.mirror.pull()
    if count > 0 { try remove("a", stage) }
    #expect(!FileManager.default.fileExists(atPath: stage.mirror.account + "/a"))
    try stage.mirror.pull()
    try makeFolder("a", with: "fresh", stage)
    try stage.push()
    try expect(["fresh": "a"], stage)
    #expect(try stage.mirror.tree()["a"].count == 1)
  }

  @Test func `the folder of a mailbox that is gone stays a local one`() throws {
    let stage = try stage([("a", 2), ("b", 1)])
    stage.account["a"] = nil
    try stage.mirror.pull()
    try stage.reader.setFlags(stage.local("a0"), "F")
    try stage.push()
    #expect(stage.changes == [] && stage.account["a"] == nil)
    _ = try (stage.local("a0", in: "a"), stage.local("a1", in: "a"))
  }

  @Test func `an empty mailbox that is gone is not made again for the folders below it`() throws {
    let stage = try stage([("a", 0), ("a/x", 1)])
    stage.account["a"] = nil
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.changes == [] && stage.account["a"] == nil)
    try expect(["ax0": "a/x"], stage)
  }

  /// Its rename waits for the pull, and so does what was put in its place.
  @Test func `a folder called otherwise than the one above it is not left with its old place`()
    throws
  {
    let stage = try stage([("kid", 1), ("kid/job", 2), ("kid/kid", 1)])
    try move("kid/job", to: "kid/kid/c", stage)
    try makeFolder("kid/job", with: "fresh", stage)
    try move("kid", to: "c", stage)
    renameThere("kid/kid", to: "other", stage)
    for _ in 0..<2 {
      _ = try stage.mirror.run(["push"])
      _ = try stage.mirror.run(["sync", "--no-index"])
    }
    try expect(
      ["kid0": "c", "kidkid0": "other", "kidjob0": "other/c", "fresh": "c/job"], stage)
  }
}
