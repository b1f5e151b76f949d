import ArgumentParser
import CLISupport
import Reading

@main enum MirrorProgram {
  static func main() async {
    await Program.main(MirrorCommand.self)
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
      InitCommand.self, PullCommand.self, PushCommand.self, SyncCommand.self, StatusCommand.self,
      SendmailCommand.self, OutboxGroup.self, VerifyCommand.self, AuthGroup.self,
      DoctorCommand.self,
    ] + [
      FlagCommand.self, MoveCommand.self, ArchiveCommand.self, DeleteCommand.self, UndoCommand.self,
    ] + ReadingCommands.all(show: ShowMarkingCommand.self) + [IndexGroup.self])

  func run() async throws {
    throw ValidationError("Name a command, such as pull or search; --help lists them.")
  }
}
