import CLISupport
import MIME
import MailCore
import MailIndex

/// One message of a conversation as lines for a person.
package struct MessageView {
  package var document: MessageDocument
  /// Of the conversation; another subject of the message is told.
  package var subject: String?
  package var unfoldsQuotes: Bool

  /// How many recipients are named; the rest are counted.
  private static let mostNames = 8

  package init(_ document: MessageDocument, subject: String?, unfoldsQuotes: Bool) {
    self.document = document
    self.subject = subject
    self.unfoldsQuotes = unfoldsQuotes
  }

  package func lines(on page: Page) -> [String] {
    let text = TextBody(readable: document.readable, unfoldsQuotes: unfoldsQuotes)
    var lines = head(text, on: page)
    for warning in document.warnings {
      lines += text.lines("! " + warning.text, .warning, on: page)
    }
    let body = text.lines(on: page)
    if !body.isEmpty { lines += [""] + body }
    if !document.hit.attachments.isEmpty {
      lines += [""] + document.hit.attachments.map { $0.line(on: page) }
    }
    return lines
  }

  // MARK: Head

  private func head(_ body: TextBody, on page: Page) -> [String] {
    let hit = document.hit
    let from = document.from.isEmpty ? hit.from : names(document.from)
    let time = CivilTime(local: hit.date)
    var lines: [(text: String, style: TextStyle?)] = [
      ("From: " + (from.isEmpty ? "(nobody)" : from), .heading), ("Date: \(time.fullText)", nil),
    ]
    if !document.to.isEmpty { lines.append(("To: " + names(document.to), nil)) }
    if !document.cc.isEmpty { lines.append(("Cc: " + names(document.cc), nil)) }
    if hit.subject != subject {
      lines.append(("Subject: " + (hit.subject.isEmpty ? "(no subject)" : hit.subject), .bold))
    }
    if let leaving = Unsubscribing(document.headers) {
      let words = leaving.isOneClick ? " (one click)" : ""
      lines.append(("Unsubscribe: " + leaving.best + words, .dim))
    }
    lines.append((place, .dim))
    return lines.flatMap { line in body.lines(line.text, line.style, on: page) }
  }

  /// `29394021 in INBOX, unread, flagged [work]`
  private var place: String {
    let hit = document.hit
    let account = hit.account.isEmpty ? "" : hit.account + "/"
    var words = ["\(hit.id) in " + hit.folders.map { account + $0 }.joined(separator: ", ")]
    if !hit.flags.contains(.seen) { words.append("unread") }
    words += hit.flags.words.filter { $0 != "seen" }
    let keywords = hit.keywords.joined(separator: ", ")
    return words.joined(separator: ", ") + (keywords.isEmpty ? "" : " [\(keywords)]")
  }

  private func names(_ people: [MailAddress]) -> String {
    let named = AddressList.display(Array(people.prefix(Self.mostNames)))
    let rest = people.count - Self.mostNames
    return rest > 0 ? named + " and \(Quantities.count(rest, "other"))" : named
  }
}

extension MessageView {
  /// A message that was read before, on one line: who, when, and how it begins.
  static func folded(_ hit: SearchHit, on page: Page) -> String {
    let from = PersonName.short(hit.from)
    let words = "  \(from)  \(CivilTime(local: hit.date).fullText)  \(hit.snippet)".readable
    let line = page.columns.map { DisplayWidth.cut(words, to: $0) } ?? words
    return page.paint(.dim, line)
  }
}
