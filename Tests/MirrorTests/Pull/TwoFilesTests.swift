import Foundation
import MailTestKit
import Testing

/// A backup was copied over the tree, and messages whose flags had changed have two files of one name since: they are one
/// message's.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct TwoFilesTests {
  enum State: CaseIterable { case kept, older, lost }

  /// m1 was unread and is flagged by now.
  private func stage(_ state: State) throws -> PushStage {
    let stage = try PushStage(.modern)
    let account = stage.mirror.account
    let aside = stage.mirror.home + "/aside"
    try runSuccessfully(["cp", "-a", account, aside])
    try stage.reader.setFlags(stage.local("m1"), "FS")
    try stage.push()
    try stage.mirror.pull()
    if state == .kept { removeTree(aside + "/.mirror") }
    try runSuccessfully(["cp", "-a", aside + "/.", account])
    if state == .lost { removeTree(account + "/.mirror") }
    #expect(try files(of: "m1", in: "INBOX", stage) == 2)
    return stage
  }

  private func files(of token: String, in folder: String, _ stage: PushStage) throws -> Int {
    try stage.mirror.tree()[folder].count { contains($0.raw, Array("<\(token)@".utf8)) }
  }

  private func sync(_ stage: PushStage) throws {
    for _ in 0..<3 { _ = try stage.mirror.run(["sync", "--no-index"]) }
  }

  private func moveThere(_ stage: PushStage) {
    stage.account.change("INBOX") { $0.expunge(2) }
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "m1")) }
  }

  @Test(arguments: State.allCases, [false, true])
  func `another client moves the message: it is not sent again`(state: State, isMovedBefore: Bool)
    throws
  {
    let stage = try stage(state)
    if isMovedBefore { moveThere(stage) }
    try sync(stage)
    #expect(stage.places("m1") == [isMovedBefore ? "Work" : "INBOX"])
    if !isMovedBefore { moveThere(stage) }
    try sync(stage)
    #expect(stage.places("m1") == ["Work"])
    #expect(try files(of: "m1", in: "Work", stage) == 1)
    if state == .kept { #expect(try files(of: "m1", in: "INBOX", stage) == 0) }
  }

  /// The older files lack a flag: that takes it away from nothing.
  @Test func `messages that another client moves keep their flags`() throws {
    let stage = try PushStage(.modern)
    let tokens = ["m1", "m2", "m3"]
    let aside = stage.mirror.home + "/aside"
    for (flags, isLast) in [("S", false), ("FS", true)] {
      for token in tokens { try stage.reader.setFlags(stage.local(token), flags) }
      try stage.push()
      try stage.mirror.pull()
      if !isLast { try runSuccessfully(["cp", "-a", stage.mirror.account, aside]) }
    }
    removeTree(aside + "/.mirror")
    try runSuccessfully(["cp", "-a", aside + "/.", stage.mirror.account])
    for token in tokens { #expect(try files(of: token, in: "INBOX", stage) == 2) }
    let uids = try tokens.map { try #require(stage.remote($0, in: "INBOX")).uid }
    stage.account.change("INBOX") { for uid in uids { $0.expunge(uid) } }
    stage.account.change("Work") {
      for token in tokens {
        $0.deliver(SampleMessage(token: token, flags: ["\\Flagged", "\\Seen"]))
      }
    }
    try sync(stage)
    for token in tokens {
      #expect(stage.places(token) == ["Work"])
      #expect(try stage.local(token).flags == "FS")
      #expect(stage.remote(token, in: "Work")?.flags == ["\\Flagged", "\\Seen"])
    }
  }

  @Test(arguments: State.allCases)
  func `the server expunges the message: it does not come back`(state: State) throws {
    let stage = try stage(state)
    try sync(stage)
    stage.account.change("INBOX") { $0.expunge(2) }
    try sync(stage)
    #expect(stage.places("m1") == [])
    if state == .kept { #expect(try files(of: "m1", in: "INBOX", stage) == 0) }
  }

  @Test func `of the two an edited one stays, and is sent`() throws {
    let stage = try stage(.kept)
    let path = stage.mirror.account + "/INBOX/new/"
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: path).first {
        FileManager.default.contents(atPath: path + $0).map {
          contains(Array($0), Array("<m1@".utf8))
        } == true
      })
    let bytes = try #require(FileManager.default.contents(atPath: path + name))
    try (bytes + Data("my notes\n".utf8)).write(to: URL(fileURLWithPath: path + name))
    stage.account.change("INBOX") { $0.expunge(2) }
    try sync(stage)
    #expect(stage.count(of: "my notes", in: "INBOX") == 1)
    #expect(stage.places("m1") == ["INBOX"])
  }

  @Test(arguments: State.allCases)
  func `both are moved to another folder: there is one message there`(state: State) throws {
    let stage = try stage(state)
    try sync(stage)
    for message in try stage.mirror.tree()["INBOX"]
    where contains(message.raw, Array("<m1@".utf8)) {
      try stage.reader.move(message, to: "Work")
    }
    try sync(stage)
    #expect(stage.places("m1") == ["Work"])
    #expect(try files(of: "m1", in: "Work", stage) == 2, "neither is removed")
  }
}
