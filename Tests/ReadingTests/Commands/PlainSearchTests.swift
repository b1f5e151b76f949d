import ArgumentParser
import CLISupport
import Testing

@testable import Reading

/// What is read without the parser means what the parser would have made of it, or is left to the parser.
@Suite struct PlainSearchTests {
  private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "root", subcommands: ReadingCommands.all())
  }

  private static let words = ["invoice", "from:ann", "two words", "(a", "*", "", "search", "help"]
  private static let options: [[String]] = [
    ["--limit", "50"], ["--limit", "0"], ["--limit", "007"], ["--limit", "-1"], ["--limit", "x"],
    ["--limit", "99999999999999999999"], ["--limit"], ["--limit=5"], ["--offset", "3"],
    ["--root", "/tmp/a b"], ["--root", "-x"], ["--root", ""], ["--config", "c.toml"],
    ["--format", "ids"], ["--format", "maildir=/tmp/x"], ["--format", "maildir="],
    ["--format", "yaml"], ["--sort", "relevance"], ["--sort", "size"], ["--count"], ["--threads"],
    ["--context"], ["--snippet"], ["--dry-run"], ["-q"], ["-v"], ["-vv"], ["-word"], ["--bogus"],
    ["--"], ["-h"],
    ["--help"], ["-"], ["--no-count"], [],
  ]

  private static let lines: [[String]] = {
    var lines: [[String]] = []
    for first in options {
      for second in options + words.map({ [$0] }) {
        let word = words[lines.count % words.count]
        lines.append(["search"] + first + second + [word])
        lines.append(["search", word] + first + second)
        lines.append(first + ["search"] + second + ["x"])
      }
    }
    return lines
  }()

  @Test func `a command line means the same to both`() throws {
    var plain = 0
    for line in Self.lines {
      let arguments = VerbOrder.normalised(line)
      guard let task = PlainSearch.task(arguments) else { continue }
      plain += 1
      let parsed = try? Root.parseAsRoot(arguments) as? SearchCommand
      #expect(parsed?.task == task, "\(line)")
    }
    print("\(plain) of \(Self.lines.count) command lines are plain")
    #expect(plain > 500)
  }

  @Test(arguments: [
    ["search"], ["search", "--limit", "5"], ["threads", "x"], [], ["search", "-x"],
    ["search", "--", "-x"], ["search", "x", "--limit"], ["search", "x", "--count", "--count"],
    ["search", "--threads", "--context", "x"], ["search", "--limit", "+5", "x"],
  ]) func `the parser looks at everything else`(line: [String]) {
    #expect(PlainSearch.task(line) == nil)
  }

  @Test func `what scripts write is plain`() throws {
    let task = try #require(
      PlainSearch.task(["search", "--root", "/m", "--limit", "50", "--format", "ids", "from:ann"]))
    #expect(task.place.root == "/m" && task.range.limit == 50 && task.format == .ids)
    #expect(task.query == ["from:ann"])
    let guarded = ["search", "--root", "/m", "--limit", "50", "--", "from:ann", "two words"]
    #expect(PlainSearch.task(guarded)?.query == ["from:ann", "two words"])
  }
}
