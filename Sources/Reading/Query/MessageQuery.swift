import CLISupport
import GRDB
import MailCore
import MailIndex

/// The words behind a verb, read as a query.
struct MessageQuery {
  var node: QueryNode
  var sort = SearchRequest.Sort.date
  var limit: Int?
  var offset = 0

  /// - Throws: ``QueryMistake``.
  init(_ words: [String], now: Int64) throws {
    let text = words.joined(separator: " ")
    do {
      // A star alone stands for all messages.
      node = try QueryParser.parse(
        text.allSatisfy { $0 == "*" || $0 == " " } ? "" : text, clock: .local(now: now))
    } catch {
      throw QueryMistake(error: error)
    }
  }

  var request: SearchRequest {
    SearchRequest(query: node, limit: limit, offset: offset, sort: sort)
  }

  func search(in db: Database) throws -> Search { try Search(request, in: db) }
}

/// A mistake in a query, to be told with its caret on lines of their own.
struct QueryMistake: Error {
  let error: QueryError

  /// Prints it and ends the program as a usage error.
  func tell(_ report: Report) -> ProgramEnd {
    let console = report.console
    console.printMessage("\(report.program): \(error.message.visible)")
    console.printMessage(error.drawing(columns: console.errorSize?.columns ?? 80))
    console.printMessage((error.advice ?? "mirror-search(7) describes the language.").visible)
    return ProgramEnd(.usage)
  }
}

extension ReadingSession {
  /// Reads the words as a query; a mistake is told and ends the program.
  func query(_ words: [String]) throws -> MessageQuery {
    do {
      return try MessageQuery(words, now: page.now)
    } catch let mistake as QueryMistake {
      throw mistake.tell(report)
    }
  }

  /// The same, for who asks others than the index.
  package func node(of words: [String]) throws -> QueryNode { try query(words).node }

  /// The query as one text.
  package func text(of words: [String]) -> String { words.joined(separator: " ") }

  /// Names that no folder, keyword … has are told: nothing could be found by them.
  func tell(_ unknown: [UnknownName]) {
    for name in unknown {
      report.notice(
        report.program, "nothing is called \(name.kind.rawValue):\(Self.short(name.name)) here.")
    }
  }

  /// A name as a query has it, of a long one the start.
  private static func short(_ name: String) -> String {
    let most = 60
    let shown = name.count > most ? name.prefix(most) + "…" : name[...]
    return name.isEmpty || name.contains(" ") ? "\"\(shown)\"" : String(shown)
  }
}
