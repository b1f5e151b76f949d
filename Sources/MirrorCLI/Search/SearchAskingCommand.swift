import ArgumentParser
import CLISupport
import MailCore
import Reading

/// `mirror search`: as `mirror-index search`, and servers can be asked, too.
struct SearchAskingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SearchCommand.configuration.commandName,
    abstract: SearchCommand.configuration.abstract,
    discussion: """
      The query's language is described in mirror-search(7). A word that begins with “-” negates; an \
      option that is not known is no word.

      Exit status: 0 done, also where nothing was found; 1 no index yet, or a mailbox could not be asked; \
      64 a mistake in the query; with --server 69 unreachable, 77 log-in refused, 78 configuration.
      """)

  @OptionGroup var search: SearchCommand

  @Flag(help: "Ask the servers, too, for mail that is not here.")
  var server = false

  @Flag(help: "With --server: fetch what is found there, and keep it.")
  var fetch = false

  func validate() throws {
    guard server else {
      if fetch { throw ValidationError("--fetch goes with --server.") }
      return
    }
    if search.threads || search.count {
      throw ValidationError("--server lists messages: leave --threads and --count out.")
    }
    switch search.format.format {
    case .text, .json, .jsonl: break
    case .paths, .ids, .maildir:
      if !fetch {
        throw ValidationError(
          "What is on a server only has no file and no number: add --fetch, or another --format.")
      }
    }
    if search.format.dryRun { throw ValidationError("--dry-run does not go with --server.") }
  }

  func run() async throws {
    let task = search.task
    guard server else {
      return try task.run(afterList: OlderMail(config: task.place.config).tell)
    }
    try await ServerSearching(task, fetches: fetch).run()
  }
}
