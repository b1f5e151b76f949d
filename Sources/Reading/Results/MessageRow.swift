import MailIndex

/// The line of one message in a list.
package struct MessageRow {
  package var message: SearchHit
  /// Finds what to mark in the subject where there are colours.
  package var matcher: TermMatcher?
  package var hasSnippet: Bool

  package init(_ message: SearchHit, _ matcher: TermMatcher? = nil, hasSnippet: Bool = false) {
    self.message = message
    self.matcher = matcher
    self.hasSnippet = hasSnippet
  }

  /// In the number's place, for a message that is on the server only.
  private static let elsewhere = "(server)"

  /// `29394021  Nov 20      N!r@  Alice Example         The subject  [work, todo]`
  ///
  /// Nothing is cut where the page has no width, and the date is whole then, so that scripts may read it.
  package func line(on page: Page) -> String {
    let marks = message.flags.marks(hasAttachments: message.attachmentCount > 0)
    let isUnread = !message.flags.contains(.seen)
    let start =
      "\(message.isHere ? String(message.id) : Self.elsewhere)  \(RowDate.text(message.date, on: page))  \(marks)  "
    let subject = message.subject.isEmpty ? "(no subject)" : message.subject.readable
    let words =
      message.keywords.isEmpty
      ? "" : "  [" + message.keywords.map(\.readable).joined(separator: ", ") + "]"
    guard let columns = page.columns else {
      return start + DisplayWidth.padded(shortFrom, to: 22) + "  " + subject + words
        + RowSnippet.text(snippet, beside: message.subject)
    }
    let room = max(12, columns - DisplayWidth.columns(of: start))
    let nameWidth = min(22, room / 3)
    let left = room - nameWidth - 2
    let shownWords = DisplayWidth.cut(words, to: left / 3)
    let shownSubject = DisplayWidth.cut(subject, to: left - DisplayWidth.columns(of: shownWords))
    let name = DisplayWidth.padded(shortFrom, to: nameWidth)
    let rest = left - DisplayWidth.columns(of: shownSubject) - DisplayWidth.columns(of: shownWords)
    let shownSnippet = RowSnippet.text(snippet, beside: message.subject, columns: rest)
    return page.paint(.dim, start) + (isUnread ? page.paint(.bold, name) : name) + "  "
      + marked(shownSubject, isUnread: isUnread, on: page) + page.paint(.keyword, shownWords)
      + page.paint(.dim, shownSnippet)
  }

  private var snippet: String { hasSnippet ? message.snippet : "" }

  private func marked(_ subject: String, isUnread: Bool, on page: Page) -> String {
    let matches = page.hasColours ? matcher?.matches(in: subject, as: .subject) ?? [] : []
    if !matches.isEmpty { return Highlight.paint(subject, matches, on: page) }
    return isUnread ? page.paint(.bold, subject) : subject
  }

  private var shortFrom: String { PersonName.short(message.from).readable }
}

/// The first words of a text behind its subject.
enum RowSnippet {
  /// ` – Shall we meet on Tuesday?`, or nothing where it says no more than the subject, or has no room.
  static func text(_ snippet: String, beside subject: String, columns: Int = .max) -> String {
    guard !snippet.isEmpty, snippet != subject, columns > 12 else { return "" }
    return DisplayWidth.cut(" – " + snippet.readable, to: columns)
  }
}

/// A date in a list: short beside other short ones on a terminal, else whole.
enum RowDate {
  static func text(_ seconds: Int64, on page: Page) -> String {
    let time = CivilTime(local: seconds)
    guard page.columns != nil else { return "\(time.dayText) \(time.clockText)" }
    return DisplayWidth.padded(time.shortText(now: CivilTime(local: page.now)), to: 10)
  }
}

/// What stands for a person where there is little room.
package enum PersonName {
  /// The name of `Name <local@domain>`, without its quotes, else the address.
  package static func short(_ sender: String) -> String {
    guard let angle = sender.lastIndex(of: "<"), sender.hasSuffix(">") else {
      return unquoted(sender)
    }
    let name = unquoted(sender[..<angle])
    if !name.isEmpty { return name }
    return String(sender[sender.index(after: angle)...].dropLast())
  }

  private static func unquoted(_ name: some StringProtocol) -> String {
    let outer = name.drop { $0 == " " || $0 == "\"" }
    let inner = String(outer.reversed().drop { $0 == " " || $0 == "\"" }.reversed())
    return inner.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
  }
}
