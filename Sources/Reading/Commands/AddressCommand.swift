import ArgumentParser
import CLISupport
import MailCore
import MailIndex

package struct AddressCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "address", abstract: "Find addresses by a part of the name or address.",
    discussion: """
      Prints what neomutt's query_command expects: a line that tells how many, then a line each of \
      address, name and use, with tabs between. With --no-header the first line is left out, as \
      aerc's address-book-cmd expects. The best come first: those you write to often and lately.

      Exit status: 0 found, 1 none.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  @Option(help: ArgumentHelp("At most so many; 0: all.", valueName: "count"))
  package var limit = 50

  @Flag(help: "Leave the first line out.")
  package var noHeader = false

  @Argument(help: ArgumentHelp("What the name or address holds.", valueName: "word"))
  package var words: [String] = []

  package init() {}

  package func validate() throws {
    if limit < 0 { throw ValidationError("--limit takes no negative number.") }
  }

  package func run() throws {
    let session = try ReadingSession(options, format: format.result)
    let entries = try session.openIndex().read { db in
      try AddressBook(db).entries(
        matching: words.joined(separator: " "), limit: limit == 0 ? .max : limit)
    }
    var writer = session.writer
    if session.format == .text {
      for line in AddressLines.lines(entries, hasHeader: !noHeader) { writer.line(line) }
    }
    for entry in entries { writer.item(AddressLines.json(entry)) }
    writer.end()
    try session.end(entries.isEmpty ? .inPart : .done)
  }
}
