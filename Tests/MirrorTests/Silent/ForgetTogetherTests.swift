import Foundation
import MailTestKit
import Testing

/// `mirror forget` beside another one. Whichever comes first: what was not named stays, and what one left another ends.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ForgetTogetherTests {
  private func mirror(_ names: [String]) throws -> MirrorProgram {
    let server = try DovecotServer.shared()
    let accounts = try names.map { name in
      var settings = AccountSettings(server, user: DovecotServer.newUser())
      settings.name = name
      try server.client(settings.user).append([
        SampleMessage(token: "\(name)0"), SampleMessage(token: "\(name)1"),
      ])
      return settings
    }
    let mirror =
      accounts.count == 2
      ? try MirrorProgram(accounts[0], accounts[1])
      : try MirrorProgram(accounts[0], accounts[1], accounts[2])
    #expect(try mirror.run(["pull"]).status == 0)
    return mirror
  }

  /// Both at once. Each is done, or says why not, and says it is to be run again.
  private func forget(_ names: [String], _ mirror: MirrorProgram) throws -> [Outcome] {
    let children = try names.map { try mirror.start("forget", $0, "--yes") }
    return try children.map { try $0.wait() }
  }

  private func text(_ mirror: MirrorProgram) throws -> String {
    try String(contentsOfFile: mirror.configuration, encoding: .utf8)
  }

  private func expectGone(_ name: String, _ mirror: MirrorProgram) throws {
    #expect(!FileManager.default.fileExists(atPath: mirror.root + "/" + name))
    #expect(try !text(mirror).contains("accounts.\(name)"))
    let found = try mirror.run(["search", "*", "--format", "json"])
    #expect(!found.outputText.contains("/\(name)/"), "\(found.summary)")
  }

  private func expectWhole(_ name: String, _ table: String, _ mirror: MirrorProgram) throws {
    #expect(try text(mirror).contains(table), "its table is as it was")
    #expect(FileManager.default.fileExists(atPath: mirror.root + "/\(name)/.mirror/state.db"))
    let limbo = mirror.root + "/.mirror/forgotten"
    #expect(!FileManager.default.fileExists(atPath: limbo))
    let pulled = try mirror.run(["pull"])
    #expect(pulled.status == 0, "\(pulled.summary)")
    #expect(pulled.outputText.contains("\(name): 0 new"), "\(pulled.summary)")
  }

  /// From its header to the end of the file.
  private func table(_ name: String, _ mirror: MirrorProgram) throws -> String {
    let text = try text(mirror)
    let start = try #require(text.range(of: "[accounts.\(name)")).lowerBound
    return String(text[start...]).trimmingCharacters(in: .newlines)
  }

  @Test(arguments: 1...3)
  func `two accounts at once go, and the third stays as it was`(round: Int) throws {
    let mirror = try mirror(["one", "two", "three"])
    let kept = try table("three", mirror)
    for (name, outcome) in zip(["one", "two"], try forget(["one", "two"], mirror)) {
      #expect([0, 75].contains(outcome.status), "\(outcome.summary)")
      guard outcome.status != 0 else { continue }
      #expect(outcome.errorText.contains("again"), "\(outcome.summary)")
      let again = try mirror.run(["forget", name, "--yes"])
      #expect(again.status == 0, "\(again.summary)")
    }
    for name in ["one", "two"] { try expectGone(name, mirror) }
    try expectWhole("three", kept, mirror)
  }

  @Test(arguments: 1...3)
  func `the same account is forgotten once, and the other stays as it was`(round: Int) throws {
    let mirror = try mirror(["one", "two"])
    let kept = try table("two", mirror)
    let outcomes = try forget(["one", "one"], mirror)
    // The other finds nothing left, or that something was at work.
    #expect(outcomes.contains { $0.status == 0 }, "\(outcomes.map(\.summary))")
    #expect(outcomes.allSatisfy { [0, 64, 75].contains($0.status) }, "\(outcomes.map(\.summary))")
    try expectGone("one", mirror)
    try expectWhole("two", kept, mirror)
  }
}
