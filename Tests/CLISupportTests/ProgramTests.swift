import ArgumentParser
import CLISupport
import MailCore
import Testing

private enum Trouble: Explained {
  case any
  var explanation: Explanation {
    Explanation(problem: "It\u{1B} failed.", remedy: "Mend it.", exitStatus: .refused)
  }
}

private struct Root: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "root", version: "root 1", subcommands: [Fail.self, End.self, Good.self])
}

private struct Fail: AsyncParsableCommand {
  func run() async throws { throw Trouble.any }
}

private struct End: AsyncParsableCommand {
  func run() async throws { throw ProgramEnd(.inPart) }
}

private struct Good: ParsableCommand {
  @OptionGroup var common: CommonOptions
  func validate() throws {
    if common.config == "bad" { throw ValidationError("bad \u{1B}[31m config") }
  }
}

@Suite struct ProgramTests {
  private func run(_ words: String) async -> Program.Ending {
    await Program.run(
      Root.self, arguments: VerbOrder.normalised(words.split(separator: " ").map(String.init)))
  }

  @Test(arguments: [
    ("good", 0), ("-q good", 0), ("good -q", 0), ("--config x good --format jsonl", 0),
    ("fail", 77), ("end", 1), ("bogus", 64), ("good --bogus", 64), ("good extra", 64),
    ("good --format yaml", 64), ("good --config", 64), ("good -q -v", 64), ("--bogus good", 64),
    ("good --config bad", 64), ("--help", 0), ("good --help", 0), ("--version", 0),
  ]) func `every end has its status`(words: String, status: Int32) async {
    #expect(await run(words).status == status)
  }

  @Test func `help and version are results, errors are messages`() async {
    #expect(await run("--version") == Program.Ending(status: 0, output: "root 1"))
    let help = await run("good --help")
    #expect(help.output?.contains("--format") == true)
    #expect(help.message == nil)
    let usage = await run("good --bogus")
    #expect(usage.output == nil)
    #expect(usage.message?.contains("--bogus") == true)
  }

  @Test func `an explained error names the program, the problem and the remedy`() async {
    #expect(
      await run("fail")
        == Program.Ending(status: 77, message: "root: It\\u{1b} failed. Mend it."))
  }

  @Test func `usage errors are visible text`() async {
    let message = await run("good --config bad").message ?? ""
    #expect(message.contains("\\u{1b}[31m config"))
  }
}
