import Foundation
import MailTestKit
import Testing

/// An account with two messages that is to be forgotten.
protocol ForgetStage {}

extension ForgetStage {
  func scenario() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.client.create("Trash")
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  func forget(_ scenario: Scenario, _ more: String...) throws -> Outcome {
    try scenario.mirror.run(["forget", "personal", "--yes"] + more)
  }

  func expectGone(_ scenario: Scenario, location: SourceLocation = #_sourceLocation) throws {
    #expect(!exists(scenario.mirror.account), sourceLocation: location)
    #expect(!exists(scenario.mirror.root + "/.mirror/forgotten"), sourceLocation: location)
    let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
    #expect(!text.contains("personal") && text.contains("root ="), sourceLocation: location)
    let there = try scenario.client.messages(in: "INBOX").count
    #expect(there == 2, "the server keeps its mail", sourceLocation: location)
    let trees = scenario.mirror.home + "/.local/state/mirror/trees"
    let kept = (try? FileManager.default.contentsOfDirectory(atPath: trees)) ?? []
    #expect(kept.isEmpty, sourceLocation: location)
    let found = try scenario.mirror.run(
      ["search", "*", "--root", scenario.mirror.root, "--format", "ids"])
    #expect(found.outputText == "", "\(found.summary)", sourceLocation: location)
  }

  /// Nothing happened: the tree is in its place, with its mail, and the configuration has it.
  func expectWhole(_ scenario: Scenario, location: SourceLocation = #_sourceLocation) throws {
    #expect(!exists(scenario.mirror.root + "/.mirror/forgotten"), sourceLocation: location)
    #expect(exists(scenario.mirror.account + "/.mirror/state.db"), sourceLocation: location)
    let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
    #expect(text.contains("[accounts.personal.imap]"), sourceLocation: location)
    #expect(try scenario.local("m1@") != nil, sourceLocation: location)
  }

  func deliver(_ token: String, _ scenario: Scenario, to folder: String = "INBOX") throws {
    try Reader(scenario.mirror).deliver(
      SampleMessage(token: token).bytes.filter { $0 != 13 }, name: "17.1_\(token).host",
      to: folder)
  }

  func queue(_ scenario: Scenario) throws -> Outcome {
    let path = scenario.mirror.home + "/letter"
    try writeFile(path, "To: bob@example.org\nSubject: hello\n\nhi\n")
    return try MailTestKit.run(
      ["sh", "-c", "exec \"$0\" sendmail -t < \(path)"] + scenario.mirror.command([]),
      environment: scenario.mirror.environment)
  }

  func addServer(_ scenario: Scenario) throws {
    try scenario.mirror.configure {
      $0.imap = "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 9\ntls = \"none\"\n"
    }
  }
}
