import MailCore

/// Writes the parts of a page: markup of ours, and the words of mails so that they stay within their place.
struct PageWriter {
  private(set) var bytes: [UInt8] = []

  /// Some addresses carry a whole record of the reader.
  private static let longestAddress = 100

  /// Markup of ours.
  mutating func put(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

  /// A mail's words among ours, whatever the direction of its letters.
  mutating func put(value: String) {
    put("<bdi>")
    put(text: value)
    put("</bdi>")
  }

  /// A mail's words where nothing of ours stands beside them, with their lines. What cannot be seen or turns others round
  /// is written out, as at a terminal.
  mutating func put(text: String) {
    PageEscaping.append(Array(text.readableLines.utf8), into: &bytes)
  }

  mutating func paragraph(_ kind: String, _ sentence: Sentence) {
    put("<p class=\"\(kind)\">")
    put(sentence)
    put("</p>\n")
  }

  mutating func put(people text: String) { put(Sentence(people: text)) }

  private mutating func put(_ sentence: Sentence) {
    for piece in sentence.pieces {
      if piece.isForeign { put(value: piece.text) } else { put(text: piece.text) }
    }
  }

  /// A field's name, which is ours, and its value.
  mutating func put(field name: String, _ value: String) {
    put("<div><span>\(name)</span> ")
    if Self.people.contains(name) { put(people: value) } else { put(value: value) }
    put("</div>")
  }

  /// Fields of several names and addresses.
  private static let people: Set = ["From", "Sender", "Reply-To", "To", "Cc", "Bcc"]

  mutating func put(_ block: PageMessage.Block) {
    switch block {
    case .page(let page):
      // A page that sets colours was made for a light ground, and stays on one.
      put(page.setsColours ? "<div class=\"mail paper\">" : "<div class=\"mail\">")
      bytes.append(contentsOf: page.html)
      put("</div>\n")
    case .text(let text): put(lines: text, "text")
    case .signature(let text): put(lines: text, "text signature")
    case .quoted(let text):
      let count = text.split(separator: "\n").count { !$0.allSatisfy(\.isWhitespace) }
      put(
        "<details class=\"mirror-quote\"><summary>\(count) quoted line\(count == 1 ? "" : "s")</summary>"
      )
      put(lines: text, "text")
      put("</details>\n")
    case .message(let fields):
      put("<div class=\"inside\">")
      for field in fields { put(field: field.name, field.value) }
      put("</div>\n")
    }
  }

  mutating func put(unsubscribe address: String) {
    guard let link = WebAddress(address) else { return }
    put("<p class=\"note\">Unsubscribe: ")
    let isLong = link.text.count > Self.longestAddress
    put(link: link, isLong ? link.text.prefix(Self.longestAddress) + "…" : link.text)
    put("</p>\n")
  }

  /// - Parameter words: of the mail, that stand for the link.
  private mutating func put(link: WebAddress, _ words: String) {
    put("<a")
    let host = LinkLabel.mark(LinkWords(words), to: link)?.real
    bytes += PageLinks.attributes(link, markedWith: host)
    put(">")
    put(text: words)
    put("</a>")
    if let host { bytes += PageLinks.mark(naming: host) }
  }

  mutating func put(_ attachments: [PageMessage.Attachment]) {
    put("<ul class=\"attachments\">")
    for attachment in attachments {
      put("<li><b>")
      put(value: attachment.name)
      put("</b> <span>")
      put(text: attachment.size + ", ")
      put(value: attachment.type)
      put("</span>")
      if let warning = attachment.warning {
        put(" <em>")
        put(value: warning)
        put("</em>")
      }
      put("</li>")
    }
    put("</ul>\n")
  }

  private mutating func put(lines text: String, _ kind: String) {
    put("<div class=\"\(kind)\(TextShape.isSet(text) ? " set" : "")\" dir=\"auto\">")
    put(linked: text)
    put("</div>\n")
  }

  /// Words in which addresses become links.
  private mutating func put(linked text: String) {
    var rest = text[...]
    while let found = rest.firstRange(of: "http") {
      let end =
        rest[found.lowerBound...].firstIndex { $0.isWhitespace || "<>\"“”".contains($0) }
        ?? rest.endIndex
      var address = rest[found.lowerBound..<end]
      while let last = address.last, ".,;:!?)]}'*_".contains(last), address.count > 8 {
        // A bracket that was opened within the address belongs to it.
        if last == ")", address.count(where: { $0 == "(" }) >= address.count(where: { $0 == ")" }) {
          break
        }
        address.removeLast()
      }
      guard address.hasPrefix("http://") || address.hasPrefix("https://"),
        let link = WebAddress(String(address)), link.host != nil
      else {
        put(text: String(rest[..<found.upperBound]))
        rest = rest[found.upperBound...]
        continue
      }
      put(text: String(rest[..<found.lowerBound]))
      put(link: link, String(address))
      rest = rest[address.endIndex...]
    }
    put(text: String(rest))
  }
}

/// Whether a plain text was set for letters of one width: patches, tables, drawings.
enum TextShape {
  static func isSet(_ text: String) -> Bool {
    if text.contains("\n@@ ") || text.contains("\ndiff --git ") || text.hasPrefix("diff --git ") {
      return true
    }
    var count = 0
    for line in text.utf8.split(separator: ASCII.lf) {
      let words = line.drop { $0 == ASCII.space || $0 == ASCII.greater }
      let isIndented = line.count - words.count >= 4 && !words.isEmpty
      if isIndented || hasGap(words) { count += 1 }
      if count >= 3 { return true }
    }
    return false
  }

  /// Three blanks in a row, or a tab, between words.
  private static func hasGap(_ line: Substring.UTF8View) -> Bool {
    var blanks = 0
    for byte in line {
      if byte == ASCII.tab { return true }
      if byte != ASCII.space, blanks >= 3 { return true }
      blanks = byte == ASCII.space ? blanks + 1 : 0
    }
    return false
  }
}
