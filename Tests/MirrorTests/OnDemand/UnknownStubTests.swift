import Foundation
import MailTestKit
import Testing

/// Whole messages of which a stub lies somewhere, and of which no ledger knows that they ever were stubs.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct UnknownStubTests {
  private func shell(_ words: String...) throws { try runSuccessfully(words) }

  enum Forgetting: CaseIterable {
    case stateLost, switchedOff
  }

  /// a's message came whole again after a stub of it was put elsewhere.
  private func forgotten(
    _ forgetting: Forgetting, stubIn folder: String, _ change: (String) -> String = { $0 }
  ) throws -> TwoAccounts {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m"), SampleMessage(token: "n", body: "ordinary")])
    try two.pull()
    let stub = try #require(
      try two.files("a/INBOX").first { try readText($0).hasPrefix("X-Mirror-Stub: 1") })
    try shell("mkdir", "-p", "\(two.root)/\(folder)/cur", "\(two.root)/\(folder)/new")
    switch forgetting {
    case .stateLost:
      try writeFile("\(two.root)/\(folder)/cur/other:2,S", change(readText(stub)))
      #expect(try two.mirror.run(["fill", "--only", "a", "--all"]).status == 0)
      removeTree(two.root + "/a/.mirror")
      try two.pull()
    case .switchedOff:
      try two.move(stub, to: folder, change)
      _ = try two.mirror.run(["push"])
      try two.mirror.configure { $0.sync = "deletions = \"expunge\"" }
      #expect(try two.mirror.run(["revert", "-y", "a"]).status == 0)
      try two.pull()
    }
    let files = try two.files("a/INBOX")
    #expect(files.count == 2)
    for file in files { #expect(try !readText(file).hasPrefix("X-Mirror-Stub")) }
    return two
  }

  private func readText(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .isoLatin1)
  }

  @Test(arguments: Forgetting.allCases, ["b/INBOX", "attic"])
  func `it stays on its server while the stub lies there, and nothing else does`(
    forgetting: Forgetting, folder: String
  ) throws {
    let two = try forgotten(forgetting, stubIn: folder)
    for file in try two.files("a/INBOX") { try shell("rm", file) }
    for _ in 0..<2 {
      let waiting = try two.mirror.run(["push", "a", "--allow-mass-delete"])
      #expect(waiting.status == 1, "\(waiting.summary)")
      #expect(waiting.errorText.contains("\(folder)/cur/other:2,S"), "\(waiting.summary)")
      let left = try two.a.messages(in: "INBOX")
      #expect(left.map(\.bytes) == [OnDemandMail.mixed("m").bytes], "the only whole one")
    }
    try shell("rm", "\(two.root)/\(folder)/cur/other:2,S")
    #expect(try two.mirror.run(["push", "a", "--allow-mass-delete"]).status == 0)
    #expect(try two.a.messages(in: "INBOX").isEmpty, "now it is deleted")
  }

  @Test(arguments: Forgetting.allCases)
  func `so it does where a program changed the stub's header`(forgetting: Forgetting) throws {
    let two = try forgotten(forgetting, stubIn: "b/INBOX") {
      $0.replacing("\nSubject: ", with: "\nSubject: [list] ")
    }
    for file in try two.files("a/INBOX") { try shell("rm", file) }
    let waiting = try two.mirror.run(["push", "a", "--allow-mass-delete"])
    #expect(waiting.errorText.contains("other:2,S"), "\(waiting.summary)")
    #expect(try two.a.messages(in: "INBOX").count == 1)
  }

  @Test(arguments: Forgetting.allCases, ["", "[list] "])
  func `a stub without its line is sent nowhere as its message`(
    forgetting: Forgetting, subject: String
  ) throws {
    let two = try forgotten(forgetting, stubIn: "b/INBOX") {
      String($0.drop { $0 != "\n" }.dropFirst())
        .replacing("\nSubject: ", with: "\nSubject: \(subject)")
    }
    #expect(try two.mirror.run(["push", "b"]).status == 1)
    #expect(try two.b.messages(in: "INBOX").isEmpty, "a part is no message")
    for file in try two.files("a/INBOX") { try shell("rm", file) }
    _ = try two.mirror.run(["push", "--allow-mass-delete"])
    #expect(try two.a.messages(in: "INBOX").count == 1, "the only whole one")
    #expect(try two.b.messages(in: "INBOX").isEmpty)
  }

  @Test func `a stub that is moved to a Maildir after a look into it is found`() throws {
    let two = try TwoAccounts()
    try two.a.append([
      OnDemandMail.mixed("m"), SampleMessage(token: "n", body: "1"),
      SampleMessage(token: "o", body: "2"),
    ])
    try two.pull()
    let attic = two.root + "/attic/cur"
    try shell("mkdir", "-p", attic, two.root + "/attic/new")
    try writeFile(attic + "/old:2,S", "Subject: old\n\ntext\n")
    func remove(_ token: String) throws {
      let file = try #require(
        try two.files("a/INBOX").first { try readText($0).contains("<\(token)@") })
      try shell("rm", file)
    }
    try remove("n")
    #expect(try two.mirror.run(["push", "a"]).status == 0)
    let stub = try #require(
      try two.files("a/INBOX").first { try readText($0).hasPrefix("X-Mirror-Stub: 1") })
    try shell("cp", stub, attic + "/other:2,S")
    #expect(try two.mirror.run(["fill", "--only", "a", "--all"]).status == 0)
    removeTree(two.root + "/a/.mirror")
    try two.pull()
    try remove("o")
    try remove("m")
    let waiting = try two.mirror.run(["push", "a", "--allow-mass-delete"])
    #expect(waiting.errorText.contains("attic/cur/other:2,S"), "\(waiting.summary)")
    #expect(try two.a.messages(in: "INBOX").count == 1)
  }
}
