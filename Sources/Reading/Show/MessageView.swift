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
  private static let mostLinks = 100

  package init(_ document: MessageDocument, subject: String?, unfoldsQuotes: Bool) {
    self.document = document
    self.subject = subject
    self.unfoldsQuotes = unfoldsQuotes
  }

  package func lines(on page: Page) -> [String] {
    var lines = head(on: page)
    for warning in document.warnings {
      lines += self.lines("! " + warning.text, .warning, on: page)
    }
    let body = self.body(on: page)
    if !body.isEmpty { lines += [""] + body }
    if document.readable.isCut {
      let most = Quantities.bytes(Int64(TextLimits.standard.text))
      lines += [
        "",
        page.paint(.warning, "[The text is longer: \(most) of a part are shown, --raw prints all]"),
      ]
    }
    if !document.hit.attachments.isEmpty {
      lines += [""] + document.hit.attachments.map { $0.line(on: page) }
    }
    return lines
  }

  // MARK: Head

  private func head(on page: Page) -> [String] {
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
    lines.append((place, .dim))
    return lines.flatMap { line in self.lines(line.text, line.style, on: page) }
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

  // MARK: Body

  private func body(on page: Page) -> [String] {
    var lines: [String] = []
    for block in Self.joined(document.readable.blocks) {
      let shown = self.shown(block, on: page)
      if !shown.isEmpty, !lines.isEmpty { lines.append("") }
      lines += shown
    }
    let links = self.links(on: page)
    return lines + (links.isEmpty ? [] : [""] + links)
  }

  /// Quotations of several depths in a row are folded as one.
  private static func joined(_ blocks: [ReadableText.Block]) -> [ReadableText.Block] {
    var joined: [ReadableText.Block] = []
    for block in blocks {
      if case .quoted(let text, let depth) = block, case .quoted(let before, _)? = joined.last {
        joined[joined.count - 1] = .quoted(before + "\n" + text, depth: depth)
      } else {
        joined.append(block)
      }
    }
    return joined
  }

  private func shown(_ block: ReadableText.Block, on page: Page) -> [String] {
    switch block {
    case .text(let text): return self.lines(text, nil, on: page)
    case .quoted(let text, _):
      if unfoldsQuotes { return self.lines(text, .dim, on: page) }
      let count = text.split(separator: "\n").count { !$0.allSatisfy(\.isWhitespace) }
      return [page.paint(.dim, "[\(Quantities.count(count, "quoted line"))]")]
    case .signature(let text): return self.lines(text, .dim, on: page)
    case .message(let section, let fields):
      let text = fields.map { "\($0.name): \($0.value)" }
      return self.lines(
        (["[\(section)] A message:"] + text).joined(separator: "\n"), .bold, on: page)
    case .attachment, .page: return []  // all attachments stand below the text
    }
  }

  private func lines(_ text: String, _ style: TextStyle?, on page: Page) -> [String] {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      // Runs of blank lines become one.
      let isBlank = line.allSatisfy { $0 == " " || $0 == "\t" }
      if isBlank, lines.last?.isEmpty ?? true { continue }
      lines += isBlank ? [""] : wrapped(String(line).readableLine, on: page)
    }
    return lines.map { line in style.map { page.paint($0, line) } ?? line }
  }

  /// What `[1]` … in the text stand for; a label that shows another address than the link has is no help there.
  private func links(on page: Page) -> [String] {
    var lines: [String] = []
    for (number, link) in document.readable.links.prefix(Self.mostLinks).enumerated() {
      lines.append(page.paint(.dim, "[\(number + 1)] \(link.url.readable)"))
    }
    let rest = document.readable.links.count - Self.mostLinks
    if rest > 0 { lines.append(page.paint(.dim, "and \(Quantities.count(rest, "other link"))")) }
    return lines
  }

  private func wrapped(_ line: String, on page: Page) -> [String] {
    guard let columns = page.columns else { return [line] }
    return WordWrap.lines(of: line, width: max(20, columns))
  }
}
