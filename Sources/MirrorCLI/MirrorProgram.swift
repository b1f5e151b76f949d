import ArgumentParser
import CLISupport
import Foundation
import Reading

@main enum MirrorProgram {
  static func main() {
    // A link called sendmail is what programs look for that know no other mail program.
    let arguments = CalledName.arguments(CommandLine.arguments, verbs: ["sendmail"])
    // The parser's own screen of help has a line for each command: too many for a terminal's 24.
    if Overview.isAsked(by: arguments) {
      let console = Console()
      console.printResult(MirrorCommand.overview + "\n")
      exit(console.hasFailed ? 1 : 0)
    }
    PartLoading.use(StubParts())
    Program.main(
      MirrorCommand.self, arguments: arguments,
      plain: { arguments in
        PlainSearch.task(arguments).map { task in
          { try task.run(afterList: OlderMail(config: task.place.config).tell) }
        }
      })
  }
}

/// The root: it only knows its verbs.
struct MirrorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mirror",
    abstract: "Keep a Maildir tree in step with IMAP accounts.",
    discussion: CommonOptions.everywhere + "\n\n" + """
      Exit status: 0 done, 1 in part, 64 usage, 65 bad data, 69 server unreachable, 75 busy, \
      77 log-in refused, 78 configuration, 130 interrupted.
      """,
    version: "mirror \(ProductVersion.text)",
    subcommands: [
      InitCommand.self, PullCommand.self, PushCommand.self, SyncCommand.self, WatchCommand.self,
      StatusCommand.self,
      SendmailCommand.self, OutboxGroup.self, VerifyCommand.self, AuthGroup.self,
      AdoptCommand.self, DoctorCommand.self,
    ] + [
      FlagCommand.self, MoveCommand.self, ArchiveCommand.self, DeleteCommand.self, UndoCommand.self,
      RevertCommand.self, ForgetCommand.self, FillCommand.self, StubCommand.self,
    ]
      + ReadingCommands.all(
        search: SearchAskingCommand.self, show: ShowMarkingCommand.self
      ) + [
        OpenCommand.self, ReplyCommand.self, ForwardCommand.self, TrustGroup.self, IndexGroup.self,
        HelpCommand.self,
      ])

  /// Every command's name, and what it says of itself.
  static var commands: [(name: String, abstract: String)] {
    configuration.subcommands.compactMap { command in
      command.configuration.commandName.map {
        (name: $0, abstract: command.configuration.abstract)
      }
    }
  }

  static var overview: String { Overview.text(commands: commands) }

  func run() async throws {
    throw ValidationError("Name a command, such as pull or search; --help lists them.")
  }
}
