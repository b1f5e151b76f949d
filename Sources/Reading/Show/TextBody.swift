import MIME
import MailCore

/// What a message says, as lines for a person: text, quotations folded or not, the links below.
struct TextBody {
  let readable: ReadableText
  let unfoldsQuotes: Bool
  var showsSignature = true

  private static let mostLinks = 100

  func lines(on page: Page) -> [String] {
    var lines: [String] = []
    for block in readable.blocks.withQuotesJoined {
      let shown = self.shown(block, on: page)
      if !shown.isEmpty, !lines.isEmpty { lines.append("") }
      lines += shown
    }
    let links = self.links(on: page)
    lines += links.isEmpty ? [] : [""] + links
    if readable.isCut {
      let most = Quantities.bytes(Int64(TextLimits.standard.text))
      lines += [
        "",
        page.paint(.warning, "[The text is longer: \(most) of a part are shown, --raw prints all]"),
      ]
    }
    return lines
  }

  private func shown(_ block: ReadableText.Block, on page: Page) -> [String] {
    switch block {
    case .text(let text): return self.lines(text, nil, on: page)
    case .quoted(let text, _):
      if unfoldsQuotes { return self.lines(text, .dim, on: page) }
      let count = text.split(separator: "\n").count { !$0.allSatisfy(\.isWhitespace) }
      return [page.paint(.dim, "[\(Quantities.count(count, "quoted line"))]")]
    case .signature where !showsSignature: return []
    case .signature(let text): return self.lines(text, .dim, on: page)
    case .message(let section, let fields):
      let text = fields.map { "\($0.name): \($0.value)" }
      return self.lines(
        (["[\(section)] A message:"] + text).joined(separator: "\n"), .bold, on: page)
    case .attachment, .page: return []  // all attachments stand below the text
    }
  }

  func lines(_ text: String, _ style: TextStyle?, on page: Page) -> [String] {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      // Runs of blank lines become one.
      let isBlank = line.allSatisfy { $0 == " " || $0 == "\t" }
      if isBlank, lines.last?.isEmpty ?? true { continue }
      lines += isBlank ? [""] : wrapped(String(line).readableLine, on: page)
    }
    return lines.map { line in style.map { page.paint($0, line) } ?? line }
  }

  /// What `[1]` … in the text stand for, and where that is not what the text says.
  private func links(on page: Page) -> [String] {
    var lines: [String] = []
    for (number, link) in readable.links.prefix(Self.mostLinks).enumerated() {
      let line = "[\(number + 1)] \(link.url.readable)"
      guard let host = link.realHost else {
        lines.append(page.paint(.dim, line))
        continue
      }
      let words = " (! leads to \(host.readable), not where its text says)"
      lines.append(page.paint(.warning, line + words))
    }
    let rest = readable.links.count - Self.mostLinks
    if rest > 0 { lines.append(page.paint(.dim, "and \(Quantities.count(rest, "other link"))")) }
    return lines
  }

  private func wrapped(_ line: String, on page: Page) -> [String] {
    guard let columns = page.columns else { return [line] }
    return WordWrap.lines(of: line, width: max(20, columns))
  }
}
