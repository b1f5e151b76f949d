import ArgumentParser
import CLISupport
import MailCore
import Reading

/// `mirror open`: the page that `show --html` prints, in the browser.
struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open a message or a conversation in the browser, safely.",
    discussion: """
      Nothing on the page runs, and opened in a browser it asks the network for nothing. The page lies where only you \
      can read it, and is removed by a later open after a day.

      Exit status: 0 done; 1 nothing found, a file is gone, no index yet, or no browser; 64 a mistake in the query.
      """)

  @OptionGroup var options: ReadingOptions
  @OptionGroup var format: DocumentFormat

  @Flag(help: "Show all messages, however many.")
  var all = false

  @Flag(help: "Show the 25 messages before those that are shown without it; twice: those before.")
  var older: Int

  @Flag(name: .customLong("thread"), help: "Show the whole conversations of what is found.")
  var wholeThreads = false

  @Flag(help: "Fetch the page's remote images, but not those that tell who reads.")
  var remoteImages = false

  @Argument(parsing: .allUnrecognized, help: "An id, thread:ID, or a query.")
  var query: [String] = []

  func run() throws {
    let found = try PagePrinter.find(query, options, format: format.result)
    var printer = found.printer
    printer.images = ImageDownloads(isAsked: remoteImages, trusted: try TrustFile().read())
    printer.older = older
    var written: (shown: [Int64], status: MailCore.ExitStatus) = ([], .done)
    let path = try OpenedFiles().writePage { [printer] sink in
      written = try printer.write(found.ids, wholeThreads: wholeThreads, all: all, to: sink)
    }
    let report = found.session.report
    if options.verbose > 0, report.format.isText { report.console.printResult(path + "\n") }
    try Browser.open(path)
    let page = OpenedPage(path: path, ids: written.shown)
    try report.record(page)
    try report.document(page)
    try found.session.end(written.status)
  }
}

/// What was opened, in JSON.
private struct OpenedPage: Encodable {
  /// Absolute.
  var path: String
  /// The messages on it, as `search` has them.
  var ids: [Int64]
}
