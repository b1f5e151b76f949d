import ArgumentParser
import CLISupport
import MailCore
import Reading
import Sorting

/// The options that all commands have that change the tree by query.
struct SortingOptions: ParsableArguments {
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var format: DocumentFormat

  @Flag(name: .customLong("dry-run"), help: "Tell what would change, and change nothing.")
  var isDryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask, however many messages are meant.")
  var yes = false
}

struct FlagCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flag", abstract: "Set and take away flags and keywords.",
    discussion: """
      mirror flag +seen -flagged +todo QUERY: changes first, then which messages (mirror-search(7)); -- behind them \
      ends the changes. Flags are seen, flagged, answered, draft and forwarded; any other word is a keyword.

      Exit status: 0 done; 1 in part, or nothing was found; 64 usage.
      """)

  @OptionGroup var options: SortingOptions

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("What to change, and in which messages.", valueName: "[+-]flag… query"))
  var words: [String] = []

  func validate() throws { try QueryWords.check(words) }

  func run() throws {
    try SortingSession.run(options, verb: "flag", words: words) { session in
      let (change, query) = try MarkChange.split(words)
      for (keyword, flag) in change.doubts {
        session.reading.report.notice(
          "flag", "“\(keyword)” is taken for a keyword; did you mean \(flag)?")
      }
      return try session.plan(query) { try $0.mark($1, change) }
    }
  }
}

struct MoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move messages to a folder of their account.",
    discussion: """
      A message that lies in several folders is moved only when the query names one of them (folder:).

      Exit status: 0 done; 1 in part, or nothing was found; 64 usage, or no such folder.
      """)

  @OptionGroup var options: SortingOptions

  @Flag(help: "Make the folder where it is missing.")
  var create = false

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("The folder, and which messages.", valueName: "folder query"))
  var words: [String] = []

  func validate() throws { try QueryWords.check(words) }

  func run() throws {
    try SortingSession.run(options, verb: "move", words: words) { session in
      let words = QueryWords.of(words)
      guard let folder = words.first, !folder.hasPrefix("-") else {
        throw ValidationError("Say where to, and which messages: mirror move FOLDER QUERY.")
      }
      return try session.plan(Array(words.dropFirst())) {
        try $0.move($1, to: folder, creates: create)
      }
    }
  }
}

struct ArchiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Move messages to the account's archive.",
    discussion: """
      Of a message that lies in several folders the INBOX's file goes, unless the query names another one (folder:). \
      On Gmail, messages leave their folder and stay in All Mail.

      Exit status: 0 done; 1 in part, or nothing was found; 64 usage, or no archive.
      """)

  @OptionGroup var options: SortingOptions

  @Argument(parsing: .allUnrecognized, help: "Which messages.")
  var query: [String] = []

  func validate() throws { try QueryWords.check(query) }

  func run() throws {
    try SortingSession.run(options, verb: "archive", words: query) { session in
      try session.plan(query) { try $0.archive($1) }
    }
  }
}

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Move messages to the trash; out of the trash they are gone for good.",
    discussion: """
      All copies of a message are meant, in all folders, unless the query names one (folder:). As long as \
      undo --list shows the command, undo brings back what was deleted for good.

      Exit status: 0 done; 1 in part, or nothing was found; 64 usage, or no trash.
      """)

  @OptionGroup var options: SortingOptions

  @Argument(parsing: .allUnrecognized, help: "Which messages.")
  var query: [String] = []

  func validate() throws { try QueryWords.check(query) }

  func run() throws {
    try SortingSession.run(options, verb: "delete", words: query) { session in
      try session.plan(query) { try $0.delete($1) }
    }
  }
}

struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take the last flag, move, archive, delete or revert back.",
    discussion: """
      Each undo takes one change more back, up to 20 of them; with a number, so many at once. What was pushed since \
      stays as it is, and is named. What cannot be taken back for another reason stays recorded, and the next undo \
      passes it over until it can.

      Exit status: 0 done; 1 in part, or there is nothing to take back; 75 another command is at work.
      """)

  @OptionGroup var options: SortingOptions

  @Flag(help: "List what can be taken back, the last first.")
  var list = false

  @Argument(help: "How many changes are taken back.")
  var count = 1

  func validate() throws {
    if count < 1 { throw ValidationError("Say how many changes are meant: a number from 1 up.") }
  }

  func run() throws {
    let session = try SortingSession(options)
    do {
      if list { try session.listChanges() } else { try session.takeBack(count) }
    } catch let error as any Explained {
      throw session.told(error)
    }
  }
}
