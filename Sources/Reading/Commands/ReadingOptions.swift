import ArgumentParser
import CLISupport

/// Where to read, and how much to tell of it.
package struct ReadingPlace: Sendable, Equatable {
  /// The configuration, for its root.
  package var config: String?
  /// The mail tree; nil: the configuration's root, else `~/Mail`.
  package var root: String?
  package var isQuiet = false
  /// How many `-v`.
  package var verbosity = 0

  package init() {}
}

/// The options that all reading commands take, before or after the verb (see `VerbOrder`).
package struct ReadingOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp("The configuration, for its root.", valueName: "file"))
  package var config: String?

  @Option(
    help: ArgumentHelp(
      "The mail tree. Default: the configuration's root, else ~/Mail.", valueName: "dir"))
  package var root: String?

  @Flag(name: .shortAndLong, help: "Print problems only.")
  package var quiet = false

  @Flag(name: .shortAndLong, help: "Tell more.")
  package var verbose: Int

  package init() {}

  package func validate() throws {
    if quiet, verbose > 0 { throw ValidationError("-q and -v exclude each other.") }
  }

  package var place: ReadingPlace {
    var place = ReadingPlace()
    place.config = config
    place.root = root
    place.isQuiet = quiet
    place.verbosity = verbose
    return place
  }
}

/// `--format` where results are documents or text and nothing else.
package struct DocumentFormat: ParsableArguments, Sendable {
  @Option(help: "How results are printed: text, json (one document) or jsonl (a line each).")
  package var format = OutputFormat.text

  package init() {}

  package var result: ResultFormat {
    switch format {
    case .text: .text
    case .json: .json
    case .jsonl: .jsonl
    }
  }
}

/// `--format` of what lists messages.
package struct ListFormat: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "How results are printed: text, json, jsonl, paths, ids, or maildir=DIR.",
      discussion: """
        paths prints the absolute path of each file, ids what show takes; maildir=DIR makes DIR a \
        Maildir of symbolic links that any mail reader can open.
        """))
  package var format = ResultFormat.text

  @Flag(help: "With maildir=DIR: tell what would be linked, and do nothing.")
  package var dryRun = false

  package init() {}
}
