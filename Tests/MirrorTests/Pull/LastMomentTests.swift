import Foundation
import MailTestKit
import Testing

/// A reader saves into a file in the very moment in which a pull removes or replaces it: what it saved stays.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram && FaultRun.isPossible))
struct LastMomentTests {
  private final class Case {
    let account = MailAccount(["INBOX"])
    let server: ModelServer
    let mirror: MirrorProgram
    static let edit = "one more line\n"

    /// - Parameter date: of the messages that nothing is done to.
    init(others date: Int64 = 1_600_000_000) throws {
      for number in 0..<3 {
        account.change("INBOX") {
          $0.deliver(
            SampleMessage(token: "m\(number)", date: number == 1 ? 1_600_000_000 : date))
        }
      }
      server = try ModelServer(account)
      mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
      #expect(try mirror.pull().status == 0)
    }

    var file: LocalMessage {
      get throws { try #require(try mirror.tree().message(with: "<m1@")) }
    }

    var inTmp: [String] { names(in: mirror.account + "/INBOX/tmp") }
    var isAside: Bool { inTmp.contains { $0.contains(".aside.") } }

    /// As a reader that has the file open since before.
    func opened() throws -> FileHandle {
      let handle = try #require(FileHandle(forUpdatingAtPath: "\(mirror.account)/\(try file.path)"))
      try handle.seekToEnd()
      return handle
    }

    func save(_ handle: FileHandle) throws {
      try handle.write(contentsOf: Data(Self.edit.utf8))
      try handle.close()
    }

    func editAside() throws {
      let name = try #require(inTmp.first { $0.contains(".aside.") })
      let handle = try #require(
        FileHandle(forUpdatingAtPath: "\(mirror.account)/INBOX/tmp/\(name)"))
      try handle.seekToEnd()
      try save(handle)
    }

    var edited: [LocalMessage] {
      get throws {
        try mirror.tree().messages.filter { contains($0.raw, Array(Self.edit.utf8)) }
      }
    }

    func tag() { account.change("INBOX") { $0.setFlags(2, ["topic"]) } }
    func expunge() { account.change("INBOX") { $0.expunge(2) } }

    /// - Parameter tellsEdit: an edit of an ordinary message waits here, which is told once.
    func sync(tellsEdit: Bool = false, location: SourceLocation = #_sourceLocation) throws {
      for number in 0..<2 {
        let outcome = try mirror.run(["sync", "--no-index"])
        let status: Int32 = tellsEdit && number == 0 ? 1 : 0
        #expect(outcome.status == status, "\(outcome.summary)", sourceLocation: location)
      }
      #expect(inTmp == [], sourceLocation: location)
    }

    /// How many messages of the server hold what was saved.
    var sent: Int {
      account["INBOX"]?.messages.count { contains($0.bytes, Array("one more line".utf8)) } ?? 0
    }
  }

  @Test func `what is saved while an expunged message's file goes stays, as a local message`()
    throws
  {
    let one = try Case()
    one.expunge()
    let reader = try one.opened()
    let outcome = try FaultRun(one.mirror).hold("renameat2", 1, afterwards: true) {
      one.isAside
    } _: {
      try one.save(reader)
    }
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.errorText.contains("edited here"), "\(outcome.summary)")
    #expect(try one.edited.count == 1 && one.inTmp == [])
    try one.sync()
    #expect(try one.edited.count == 1 && one.sent == 1)
  }

  @Test func `what is saved while the window leaves a message out stays`() throws {
    let one = try Case(others: Int64(Date().timeIntervalSince1970))
    try one.mirror.configure { $0.sync = "window = \"90d\"" }
    let reader = try one.opened()
    let outcome = try FaultRun(one.mirror).hold("renameat2", 1, afterwards: true) {
      one.isAside
    } _: {
      try one.save(reader)
    }
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try one.edited.count == 1 && one.inTmp == [])
    try one.sync(tellsEdit: true)
    #expect(try one.edited.count == 1)
  }

  @Test func `what is saved while the keywords line is written stays, under the line`() throws {
    let one = try Case()
    one.tag()
    let reader = try one.opened()
    let outcome = try FaultRun(one.mirror).hold("renameat2", 2) {
      one.isAside
    } _: {
      try one.save(reader)
    }
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try one.edited.map { $0.keywords() } == [["topic"]])
    #expect(try one.mirror.tree().messages.count == 3 && one.inTmp == [])
    try one.sync(tellsEdit: true)
    #expect(try one.edited.count == 1)
  }

  @Test(arguments: [true, false])
  func `killed while a file is aside, the next run brings back what was saved into it`(
    isEdited: Bool
  ) throws {
    let one = try Case()
    one.expunge()
    #expect(try FaultRun(one.mirror).kill(at: "unlinkat", 1).ending == .signalled(9))
    #expect(one.isAside)
    if isEdited { try one.editAside() }
    try one.sync()
    #expect(try one.mirror.tree().count(of: "<m1@") == (isEdited ? 1 : 0))
    #expect(try one.edited.count == (isEdited ? 1 : 0) && one.sent == (isEdited ? 1 : 0))
  }

  @Test(arguments: ["renameat2 2", "unlinkat 1"], [true, false])
  func `killed around the exchange of a rewritten file, the next run settles it`(
    place: String, isEdited: Bool
  ) throws {
    let one = try Case()
    one.tag()
    let words = place.split(separator: " ")
    let killed = try FaultRun(one.mirror).kill(at: String(words[0]), Int(words[1]) ?? 0)
    #expect(killed.ending == .signalled(9))
    #expect(one.isAside)
    // Before the exchange it is our own file, which nobody can have opened.
    let keepsEdit = isEdited && words[0] == "unlinkat"
    if keepsEdit { try one.editAside() }
    try one.sync()
    #expect(try one.edited.count == (keepsEdit ? 1 : 0))
    #expect(try one.mirror.tree().count(of: "<m1@") == (keepsEdit ? 2 : 1))
    #expect(
      try one.mirror.tree().messages.contains {
        contains($0.raw, Array("<m1@".utf8)) && $0.keywords() == ["topic"]
      })
  }
}
