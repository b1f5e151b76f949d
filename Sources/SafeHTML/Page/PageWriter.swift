import MailCore

/// Writes the parts of a page: markup of ours, and the words of mails so that they stay within their place.
struct PageWriter {
  private(set) var bytes: [UInt8] = []

  /// Some addresses carry a whole record of the reader.
  private static let longestAddress = 100

  /// Markup of ours.
  mutating func put(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

  /// A mail's words among ours, whatever the direction they run in.
  mutating func put(value: String) {
    put("<bdi>")
    put(text: value)
    put("</bdi>")
  }

  /// A mail's words where nothing of ours is beside them, with their lines. What cannot be seen or turns others round
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

  /// Writes a block piece by piece.
  mutating func put(_ block: PageMessage.Block, to sink: Sink) rethrows {
    switch block {
    case .page(let page):
      // A page that sets colours was made for a light ground, and stays on one.
      put(page.setsColours ? "<div class=\"mail paper\">" : "<div class=\"mail\">")
      bytes.append(contentsOf: page.html)
      put("</div>\n")
    case .text(let text): try put(lines: text, "text", to: sink)
    case .signature(let text): try put(lines: text, "text signature", to: sink)
    case .quoted(let text):
      let count = text.utf8.split(separator: ASCII.lf).count { !$0.allSatisfy(ASCII.isBlank) }
      put(
        "<details class=\"mirror-quote\"><summary>\(count) quoted line\(count == 1 ? "" : "s")</summary>"
      )
      try put(lines: text, "text", to: sink)
      put("</details>\n")
    case .message(let fields):
      put("<div class=\"inside\">")
      for field in fields { put(field: field.name, field.value) }
      put("</div>\n")
    }
    try flush(to: sink)
  }

  /// Hands over what was written so far.
  mutating func flush(to sink: Sink) rethrows {
    try sink(bytes)
    bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * Self.piece)
  }

  typealias Sink = ([UInt8]) throws -> Void

  /// Bytes of text that are written at a time.
  private static let piece = 64 << 10

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

  private mutating func put(lines text: String, _ kind: String, to sink: Sink) rethrows {
    put("<div class=\"\(kind)\(TextShape.isSet(text) ? " set" : "")\" dir=\"auto\">")
    var rest = text[...]
    while !rest.isEmpty {
      let most = rest.utf8.index(rest.startIndex, offsetBy: Self.piece, limitedBy: rest.endIndex)
      let end = most.flatMap { rest.utf8[$0...].firstIndex(of: ASCII.lf) } ?? rest.endIndex
      put(linked: rest[..<end])
      rest = rest[end...]
      try flush(to: sink)
    }
    put("</div>\n")
  }

  /// Words in which addresses become links.
  private mutating func put(linked text: Substring) {
    var rest = text
    while let start = Self.firstAddress(in: rest) {
      let address = Self.address(in: rest[start...])
      guard let link = WebAddress(String(address)), link.host != nil else {
        let behind = rest.utf8.index(start, offsetBy: Self.scheme.count)
        put(text: String(rest[..<behind]))
        rest = rest[behind...]
        continue
      }
      put(text: String(rest[..<start]))
      put(link: link, String(address))
      rest = rest[address.endIndex...]
    }
    put(text: String(rest))
  }

  private static let scheme = Array("http".utf8)

  /// The address with which a text begins, without the marks of the sentence it is in.
  private static func address(in text: Substring) -> Substring {
    let scalars = text.unicodeScalars
    let end =
      scalars.firstIndex { scalar in
        scalar.isASCII
          ? scalar.value <= 0x20 || "<>\"".unicodeScalars.contains(scalar)
          : scalar == "“" || scalar == "”" || scalar.properties.isWhitespace
      } ?? text.endIndex
    var address = text[..<end]
    let length = address.utf8.count
    for (place, last) in address.utf8.reversed().enumerated() {
      guard ".,;:!?)]}'*_".utf8.contains(last), length - place > 8 else { break }
      // A bracket that was opened within the address belongs to it.
      if last == ASCII.closeParenthesis,
        address.utf8.count(where: { $0 == ASCII.openParenthesis })
          >= address.utf8.count(where: { $0 == ASCII.closeParenthesis })
      {
        break
      }
      address.removeLast()
    }
    return address
  }

  /// Where `http://` or `https://` is first.
  private static func firstAddress(in text: Substring) -> Substring.Index? {
    var rest = text.utf8
    while let start = rest.firstIndex(of: scheme[0]) {
      let found = rest[start...]
      if found.starts(with: "http://".utf8) || found.starts(with: "https://".utf8) { return start }
      rest = found.dropFirst()
    }
    return nil
  }
}

/// Whether a plain text was set for letters of one width: patches, tables, drawings.
enum TextShape {
  static func isSet(_ text: String) -> Bool {
    var count = 0
    for line in text.utf8.split(separator: ASCII.lf) {
      if line.starts(with: "@@ ".utf8) || line.starts(with: "diff --git ".utf8) { return true }
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
