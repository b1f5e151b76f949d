import GRDB
import MIME
import MailIndex

/// The line of a message's text that matches a query, for `--context`.
struct ContextLine {
  private let matcher: TermMatcher
  private static let width = 300  // characters where there is no terminal

  init(_ matcher: TermMatcher) { self.matcher = matcher }

  /// Indented below the message's row, the matches marked; nil where only other fields match.
  func line(of hit: SearchHit, _ session: ReadingSession) -> String? {
    let indent = "    "
    let width = session.page.columns.map { max(20, $0 - indent.count) } ?? Self.width
    guard let context = context(of: hit, session, width: width) else { return nil }
    return indent + Highlight.paint(context.text, context.matches, on: session.page)
  }

  /// The same for documents.
  func text(of hit: SearchHit, _ session: ReadingSession) -> String? {
    context(of: hit, session, width: Self.width)?.text
  }

  /// A file that cannot be read has none: the message was found all the same.
  private func context(of hit: SearchHit, _ session: ReadingSession, width: Int) -> MatchContext? {
    guard !matcher.isEmpty, let file = try? MessageBytes.load(hit.paths(root: session.root)) else {
      return nil
    }
    let body = file.bytes.withUnsafeBytes {
      MessageText.extract($0, MessageStructure.parse($0)).body
    }
    return matcher.context(in: String(decoding: body, as: UTF8.self), width: width)
  }
}

/// Marks what matches in a text that is about to be printed.
enum Highlight {
  /// - Parameter matches: bytes of `text`, in order, none overlapping.
  static func paint(_ text: String, _ matches: [Range<Int>], on page: Page) -> String {
    guard page.hasColours, !matches.isEmpty else { return text.readable }
    let bytes = Array(text.utf8)
    var result = ""
    var place = 0
    for match in matches where match.lowerBound >= place && match.upperBound <= bytes.count {
      result += String(decoding: bytes[place..<match.lowerBound], as: UTF8.self).readable
      let word = String(decoding: bytes[match], as: UTF8.self).readable
      result += page.paint(.match, word)
      place = match.upperBound
    }
    return result + String(decoding: bytes[place...], as: UTF8.self).readable
  }
}
