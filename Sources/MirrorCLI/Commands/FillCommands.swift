import ArgumentParser
import CLISupport
import Reading
import SyncPlan

/// The options that `fill` and `stub` have.
struct FillingOptions: ParsableArguments {
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var format: DocumentFormat

  @Flag(name: .customLong("dry-run"), help: "Tell how many bytes are meant, and change nothing.")
  var isDryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask, however many bytes are meant.")
  var yes = false

  @Flag(help: "Show progress also where standard error is no terminal.")
  var progress = false

  @Option(
    help: ArgumentHelp(
      "Keep to an account, or one of its mailboxes.", valueName: "account[/mailbox]"))
  var only: [String] = []
}

struct FillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fill", abstract: "Fetch the parts of messages that stayed on the server.",
    discussion: """
      Parts above the size that on-demand sets stay on the server; a filled message is the server's, byte for byte. \
      Where the server cannot be reached, what was asked for is remembered, and the next pull brings it.

      Exit status: 0 done; 1 in part, or nothing was found; 64 usage; 69 remembered for the next pull; 75 another \
      run holds the account; 77 log-in refused; 78 configuration.
      """)

  @OptionGroup var options: FillingOptions

  @Flag(help: "All messages of which parts are missing.")
  var all = false

  @Argument(parsing: .allUnrecognized, help: "Which messages.")
  var query: [String] = []

  func validate() throws { try FillingSession.check(query, all: all) }

  func run() async throws {
    try await FillingSession(options, .fill, words: query, all: all).run()
  }
}

struct StubCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stub", abstract: "Leave the large parts of messages to the server again.",
    discussion: """
      Only of messages that the server is seen to have at that moment. What was edited here stays whole.

      Exit status: 0 done; 1 in part, or nothing was found; 64 usage; 69 server unreachable; 75 another run holds \
      the account; 77 log-in refused; 78 on-demand is "never", or configuration.
      """)

  @OptionGroup var options: FillingOptions

  @Flag(help: "All messages that have large parts.")
  var all = false

  @Argument(parsing: .allUnrecognized, help: "Which messages.")
  var query: [String] = []

  func validate() throws { try FillingSession.check(query, all: all) }

  func run() async throws {
    try await FillingSession(options, .stub, words: query, all: all).run()
  }
}
