import ArgumentParser
import CLISupport
import Testing

@testable import Reading

/// What is read without the parser means what the parser would have made of it, or is left to the parser.
@Suite struct PlainUpdateTests {
  private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "root", subcommands: ReadingCommands.indexing)
  }

  private static let options: [[String]] = [
    ["--root", "/tmp/a b"], ["--root", "-x"], ["--root", ""], ["--root"], ["--root=/tmp"],
    ["--config", "c.toml"], ["--format", "json"], ["--format", "jsonl"], ["--format", "text"],
    ["--format", "ids"], ["-q"], ["--quiet"], ["-v"], ["-qv"], ["--full"], ["--progress"],
    ["--warnings"], ["--dry-run"], ["--no-full"], ["--bogus"], ["word"], ["--"], ["-h"], ["--help"],
    [""], [],
  ]

  @Test func `a command line means the same to both`() throws {
    var plain = 0
    for first in Self.options {
      for second in Self.options {
        for third in [[], ["--full"], ["-q"]] {
          let arguments = VerbOrder.normalised(["update"] + first + second + third)
          guard let task = PlainUpdate.task(arguments) else { continue }
          plain += 1
          let parsed = try? Root.parseAsRoot(arguments) as? UpdateCommand
          #expect(parsed?.task == task, "\(arguments)")
        }
      }
    }
    #expect(plain > 200)
  }

  @Test(arguments: [
    ["rebuild"], ["update", "x"], ["update", "-v"], ["update", "--full", "--full"],
    ["update", "-q", "--quiet"], ["update", "--format", "yaml"], [],
  ]) func `the parser looks at everything else`(line: [String]) {
    #expect(PlainUpdate.task(line) == nil)
  }
}
