#if os(Linux)
  import Foundation
  import MailTestKit
  import Testing

  /// A file that cannot be read may be anything: it is told, and not taken for new mail because of that.
  @Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct UnreadFileTests {
    /// A regular file that cannot be read while this is held, not even by root: there is a lease on it.
    private func withhold(_ path: String) throws -> Int32 {
      let lease = open(path, O_RDWR | O_CLOEXEC)
      try #require(lease >= 0)
      try #require(fcntl(lease, 10, SIGURG) == 0)  // F_SETSIG
      try #require(fcntl(lease, 1024, Int32(F_WRLCK)) == 0)  // F_SETLEASE
      return lease
    }

    @Test func `new mail that cannot be read is told, and sent when it can be`() throws {
      let stage = try PushStage(.modern)
      for token in ["a", "b"] { try stage.deliver(token, to: "Work") }
      try stage.deliver("c", to: "Drafts")
      let paths = try ["a", "b"].map { try stage.mirror.account + "/" + stage.local($0).path }
      let leases = try paths.map(withhold)
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("Work: 2 files here cannot be read"), "\(outcome.summary)")
      #expect(stage.places("a") == [] && stage.places("b") == [] && stage.places("c") == ["Drafts"])
      for lease in leases { close(lease) }
      try stage.push()
      try stage.expectOnce(["a": "Work", "b": "Work", "c": "Drafts"])
    }

    /// Another client has moved the message meanwhile, and the state is lost.
    @Test(arguments: ["push", "pull"])
    func `what could not be read when all was matched is judged once it can be`(first: String)
      throws
    {
      let stage = try PushStage(.modern)
      try stage.deliver("mine", to: "INBOX")
      removeTree(stage.mirror.account + "/.mirror")
      stage.account.change("INBOX") { $0.expunge(3) }
      stage.account.change("Work") { $0.deliver(SampleMessage(token: "m2")) }
      let paths = try ["m2", "mine"].map { try stage.mirror.account + "/" + stage.local($0).path }
      let leases = try paths.map(withhold)
      let outcome = try stage.mirror.run(["pull", "--no-index"])
      #expect(outcome.errorText.contains("2 files here cannot be read"), "\(outcome.summary)")
      try stage.push(1)
      for lease in leases { close(lease) }
      _ = try stage.mirror.run([first])
      #expect(stage.places("m2") == ["Work"])
      for _ in 0..<3 { _ = try stage.mirror.run(["sync", "--no-index"]) }
      #expect(stage.places("m2") == ["Work"])
      #expect(stage.places("mine") == ["INBOX"])
    }
  }
#endif
