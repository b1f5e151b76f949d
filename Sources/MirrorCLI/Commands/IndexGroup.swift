import ArgumentParser
import Reading

/// `mirror index …`: the verbs of `mirror-index` that make the index.
struct IndexGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index", abstract: "Bring the index up to date, make it anew, or check it.",
    subcommands: ReadingCommands.indexing, defaultSubcommand: UpdateCommand.self)
}
