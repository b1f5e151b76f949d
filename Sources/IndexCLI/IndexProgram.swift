import ArgumentParser
import CLISupport
import Reading

@main enum IndexProgram {
  static func main() {
    Program.main(
      IndexCommand.self, plain: { PlainSearch.search($0) ?? PlainUpdate.update($0) })
  }
}

/// The root: it only knows its verbs.
struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mirror-index",
    abstract: "Build and read an index over a Maildir tree.",
    discussion: """
      Everywhere, before or after the verb: --root DIR, --config FILE, --format text|json|jsonl, -q, -v.

      Exit status: 0 done, 1 in part, 64 usage, 65 bad data, 75 busy, 77 no permission, \
      78 configuration, 130 interrupted.
      """,
    version: "mirror-index \(ProductVersion.text)",
    subcommands: ReadingCommands.indexing + ReadingCommands.all())

  func run() throws {
    throw ValidationError("Name a command, such as update or search; --help lists them.")
  }
}
