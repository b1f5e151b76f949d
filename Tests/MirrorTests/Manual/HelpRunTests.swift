import Foundation
import MailTestKit
import Testing

/// `mirror --help` and `mirror help`, as a person and as a script see them.
@Suite(.onBlockingThreads, .triedAgain, .enabled(if: Machine.hasProgram)) struct HelpRunTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory("help") }

  private func environment(path: String = "/usr/bin:/bin") -> [String: String] {
    [
      "HOME": home.path, "PATH": path, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  private func mirror(_ arguments: String..., path: String = "/usr/bin:/bin") throws -> Outcome {
    try run(
      [try #require(MirrorProgram.binary)] + arguments, environment: environment(path: path))
  }

  @Test func `the help fits a screen, and every command helps`() throws {
    let whole = try mirror("--help")
    #expect(whole.status == 0 && whole.errors == [])
    let lines = whole.outputText.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 }, "\(whole.outputText)")
    #expect(try mirror("-q", "-h").output == whole.output)
    #expect(try mirror("help").output == whole.output)
    let pull = try mirror("pull", "--help")
    #expect(pull.status == 0 && pull.outputText.contains("USAGE: mirror pull"))
  }

  @Test(.enabled(if: TerminalScreen.isPossible))
  func `on a terminal of 80 by 24 nothing of the help scrolls away`() throws {
    let screen = try TerminalScreen(
      [try #require(MirrorProgram.binary), "--help"], environment: environment(), columns: 80,
      rows: 24)
    #expect(try screen.status() == 0)
    let lines = try screen.lines
    #expect(lines.first?.hasPrefix("Keep a Maildir tree") == true)
    #expect(lines.count <= 26, "the test's own two lines are below it:\n\(lines)")
  }

  @Test func `a topic nobody knows lists those that there are`() throws {
    let outcome = try mirror("help", "outbx")
    #expect(outcome.status == 64 && outcome.output == [])
    #expect(outcome.errorText.contains("Did you mean outbox?"), "\(outcome.summary)")
    for topic in ["config", "database", "doctor", "pull", "search"] {
      #expect(outcome.errorText.contains(" \(topic),"), "\(topic)")
    }
  }

  @Test func `every topic that is listed opens`() throws {
    let list = try #require(
      try mirror("help", "nonsense").errorText.split(separator: "Topics: ").last)
    let topics = list.prefix { $0 != "." }.split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #expect(topics.count > 20, "\(topics)")
    for topic in topics {
      let outcome = try mirror("help", topic)
      #expect(outcome.status == 0 && outcome.errors == [], "\(topic): \(outcome.summary)")
      #expect(outcome.outputText.contains("DESCRIPTION"), "\(topic)")
    }
  }

  @Test(
    .enabled(if: findProgram("mandoc") != nil),
    arguments: [
      ("config", "password-command"), ("pull", "Bring the server's changes into the tree"),
      ("doctor", "mirror doctor"), ("database", "messages"), ("index(5)", "messages"),
    ])
  func `without a terminal the page is plain text`(topic: String, words: String) throws {
    let outcome = try mirror("help", topic)
    #expect(outcome.status == 0 && outcome.errors == [], "\(outcome.summary)")
    #expect(outcome.outputText.contains("DESCRIPTION\n"), "\(outcome.outputText.prefix(500))")
    #expect(outcome.outputText.contains(words))
    #expect(!outcome.output.contains(8) && !outcome.output.contains(27))
  }

  @Test(arguments: ["pull", "config"])
  func `without man and mandoc there is the page all the same`(topic: String) throws {
    let outcome = try mirror("help", topic, path: "/nowhere")
    #expect(outcome.status == 0 && outcome.errors == [], "\(outcome.summary)")
    for section in ["NAME", "DESCRIPTION", "SEE ALSO"] {
      #expect(outcome.outputText.contains("\n\(section)\n"), "\(outcome.outputText)")
    }
  }

  /// All words that mandoc shows, in the plainer rendering.
  @Test(
    .enabled(if: findProgram("mandoc") != nil),
    arguments: ["mirror", "config", "search", "index", "database", "init", "outbox", "sendmail"])
  func `the plain page has every word of the other one`(topic: String) throws {
    func words(_ lines: [Substring]) -> Set<Substring> {
      Set(lines.joined(separator: "\n").split { !$0.isLetter && !$0.isNumber })
    }
    let formatted = try mirror("help", topic).outputText.split(separator: "\n")
    let plain = try mirror("help", topic, path: "/nowhere")
    // Head and foot, the day among them, are mandoc's own.
    let body = Array(formatted.dropFirst().dropLast())
    #expect(body.count > 20)
    #expect(
      words(body).subtracting(words(plain.outputText.split(separator: "\n"))) == [],
      "\(plain.outputText)")
    for line in plain.outputText.split(separator: "\n") {
      #expect(line.first != "." && !line.contains("\\&") && !line.contains("\\("), "\(line)")
    }
  }

  @Test(.enabled(if: TerminalScreen.isPossible && findProgram("man") != nil))
  func `on a terminal man opens the page, and q leads back`() throws {
    let screen = try TerminalScreen(
      [try #require(MirrorProgram.binary), "help", "config"], environment: environment(),
      columns: 80, rows: 24)
    try screen.wait(for: "MIRROR-CONFIG(5)")
    try screen.wait(for: "mirror-config")
    try screen.press("q")
    #expect(try screen.status() == 0)
  }
}
