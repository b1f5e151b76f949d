import ArgumentParser

/// The options that every command takes, before or after the verb (see ``VerbOrder``).
package struct CommonOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "The configuration.",
      discussion:
        "Default: $MIRROR_CONFIG, else mirror/config.toml in $XDG_CONFIG_HOME or ~/.config.",
      valueName: "file"))
  package var config: String?

  @Option(help: "How results are printed: text, json (one document) or jsonl (a line each).")
  package var format = OutputFormat.text

  @Flag(name: .shortAndLong, help: "Print problems only.")
  package var quiet = false

  @Flag(name: .shortAndLong, help: "Tell more; twice shows the wire, without its secrets.")
  package var verbose: Int

  package init() {}

  /// The options for the program's own help, where the verbs are listed.
  package static let everywhere = """
    Everywhere, before or after the verb: --config FILE, --format text|json|jsonl, -q, -v.
    """

  package func validate() throws {
    if quiet, verbose > 0 { throw ValidationError("-q and -v exclude each other.") }
  }
}

/// The `--format` option.
package enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  case text, json, jsonl

  package var isText: Bool { self == .text }
}
