import ArgumentParser
import MIME
import MailIndex

/// One message that a command is about, with its bytes.
package struct OneMessage {
  package let session: ReadingSession
  package let document: MessageDocument
  package let bytes: [UInt8]

  /// Finds it by its id or a query that finds no other.
  ///
  /// - Throws: ``ShowError`` where none is found, or several.
  package static func find(
    _ query: [String], _ options: ReadingOptions, format: ResultFormat
  ) throws -> OneMessage {
    try QueryWords.check(query)
    let words = QueryWords.of(query)
    guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Say which message: its id, or a query that finds no other.")
    }
    let session = try ReadingSession(options, format: format)
    let reader = try session.openIndex()
    let ids = try Selection(words, session).messageIDs(reader)
    guard let id = ids.first else { throw ShowError.nothingFound }
    guard ids.count == 1 else { throw ShowError.notOne(ids.count) }
    guard let found = try reader.read({ try ConversationMember.one(id, $0) }) else {
      throw ShowError.nothingFound
    }
    return try ShownMessage.load(found.member, session, reader) { document, bytes in
      OneMessage(session: session, document: document, bytes: Array(bytes))
    }
  }

  /// What it says as lines that nothing can be hidden in, with what it quotes, without its signature.
  package var quotableLines: [String] {
    let width = 74
    let body = TextBody(
      readable: document.readable, unfoldsQuotes: true, showsSignature: false)
    let page = Page(columns: nil, hasColours: false, now: 0)
    // Long lines are paragraphs, and mail has none that long.
    return body.lines(on: page).flatMap { line in
      line.hasPrefix(">") ? [line] : WordWrap.lines(of: line, width: width)
    }
  }
}
