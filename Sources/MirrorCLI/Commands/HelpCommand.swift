import ArgumentParser
import CLISupport
import Foundation
import MailCore
import Settings

/// `mirror help TOPIC`: the manual's page, by `man` on a terminal, else as plain text.
///
/// Hidden, because the parser lists a `help` of its own; ours comes first in the tree, so it is the one that runs.
struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "Open a page of the manual.",
    discussion: """
      A topic is a command, config, query or database, or the name of a page. Exit status: 0 done, \
      1 the page is not installed, 64 no such topic.
      """, shouldDisplay: false)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("What to read about.", valueName: "topic"))
  var topic: [String] = []

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    let console = Console()
    guard let word = topic.first else {
      return console.printResult(MirrorCommand.overview + "\n")
    }
    let commands = MirrorCommand.commands.map(\.name)
    guard let topic = ManualTopic(word, commands: commands) else {
      throw UnknownTopic(word: word, known: ManualTopic.names(commands: commands))
    }
    try ManualOpening(environment: environment, console: console).open(topic)
  }
}

/// `mirror help nonsense`.
struct UnknownTopic: Explained {
  let word: String
  let known: [String]

  var explanation: Explanation {
    let near = nearestWord(to: word, among: known).map { " Did you mean \($0)?" } ?? ""
    return Explanation(
      problem: "There is no manual for “\(word)”.\(near)",
      remedy: "Topics: \(known.joined(separator: ", ")).", exitStatus: .usage)
  }
}
