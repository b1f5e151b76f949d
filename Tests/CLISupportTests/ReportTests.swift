import ArgumentParser
import CLISupport
import MailCore
import Testing

@Suite struct ReportTests {
  private let output = MemoryStream()
  private let errors = MemoryStream()

  private func report(
    _ arguments: [String] = [], output: MemoryStream? = nil, errors: MemoryStream? = nil,
    environment: [String: String] = [:]
  ) throws -> Report {
    Report(
      program: "mirror", options: try CommonOptions.parse(arguments),
      console: Console(output: output ?? self.output, errors: errors ?? self.errors),
      environment: environment)
  }

  private static let hostile = "a\u{1B}]0;x\u{7}b\u{9B}31m\u{202E}c\nd\u{7F}"

  @Test func `nothing that a server says drives the terminal`() throws {
    for arguments in [[], ["-v"], ["-vv"]] {
      let report = try report(arguments)
      report.line(Self.hostile)
      report.line(.red, Self.hostile, Self.hostile)
      report.problem(Self.hostile, Self.hostile, remedy: Self.hostile)
      report.notice(Self.hostile, Self.hostile)
      report.detail(1, Self.hostile)
    }
    for text in [output.text, errors.text] {
      let lines = text.split(separator: "\n").map(String.init)
      #expect(!lines.isEmpty)
      #expect(lines.allSatisfy { $0 == $0.visible })
    }
    #expect(output.text.split(separator: "\n").count == 6)
    #expect(errors.text.split(separator: "\n").count == 8)
  }

  @Test func `json escapes what drives terminals, and keeps its value`() throws {
    let json = try report(["--format", "json"])
    try json.document([Self.hostile])
    #expect(output.text.unicodeScalars.allSatisfy { $0.value == 10 || $0.value >= 0x20 })
    #expect(!output.text.unicodeScalars.contains { (0x7F...0x9F).contains($0.value) })
    #expect(!output.text.contains("\u{202E}"))
    #expect(output.text.contains("\\u009b31m\\u202ec"))
  }

  @Test func `json is one document, jsonl one line each, text neither`() throws {
    struct Value: Encodable { var exitStatus = 1, path = "a/b", days = ["myKey": 2] }
    try report(["--format", "jsonl"]).record(Value())
    #expect(output.text == "{\"days\":{\"myKey\":2},\"exit_status\":1,\"path\":\"a/b\"}\n")
    for arguments in [[], ["--format", "json"]] { try report(arguments).record(Value()) }
    for arguments in [[], ["--format", "jsonl"]] { try report(arguments).document(Value()) }
    try report(["--format", "json"]).line("text")
    #expect(output.text.split(separator: "\n").count == 1)
  }

  @Test func `quiet keeps problems only`() throws {
    let report = try report(["-q"])
    report.line("line")
    report.notice("a", "notice")
    report.detail(1, "detail")
    report.problem("personal/INBOX", "It failed.", remedy: "Try again.")
    #expect(output.text.isEmpty)
    #expect(errors.text == "personal/INBOX: It failed. Try again.\n")
  }

  @Test(arguments: [([], 0), (["-v"], 1), (["-vv"], 2), (["-v", "-v"], 2)])
  func `details come with their level`(arguments: [String], shown: Int) throws {
    let report = try report(arguments)
    report.detail(1, "one")
    report.detail(2, "two")
    #expect(errors.text.split(separator: "\n").count == shown)
  }

  @Test func `colours are for terminals alone, and NO_COLOR is obeyed`() throws {
    let cases: [(terminal: Bool, environment: [String: String], coloured: Bool)] = [
      (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false),
      (true, ["NO_COLOR": ""], true), (true, ["TERM": "dumb"], false),
    ]
    for (terminal, environment, coloured) in cases {
      let errors = MemoryStream(columns: terminal ? 80 : nil)
      let output = MemoryStream(columns: terminal ? 80 : nil)
      let report = try report(output: output, errors: errors, environment: environment)
      report.problem("a", "b")
      report.line(.green, "fine", " c")
      #expect(errors.text.contains("\u{1B}[") == coloured)
      #expect(output.text.contains("\u{1B}[") == coloured)
    }
  }
}
