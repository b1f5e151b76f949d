/// A page of its own around one message or a conversation: it needs nothing and asks for nothing.
///
/// It is written piece by piece: the head, its messages, the foot. A conversation of thousands is never held as a whole.
package struct ConversationPage: Sendable {
  package var subject = ""
  /// Above the first message: how many older ones were left out.
  package var older: String?
  /// Whether its only message is open, and cannot be folded.
  package var isOfOne = true

  package init() {}

  /// What a browser may do with the page, should anything be left in it: show pictures that are in it, and styles.
  package static let policy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

  /// A whole document of these messages, UTF-8.
  package func document(_ messages: [PageMessage]) -> [UInt8] {
    var page = head
    for message in messages { write(message) { page += $0 } }
    return page + Self.foot
  }

  package var head: [UInt8] {
    var page = PageWriter()
    page.put(
      """
      <!DOCTYPE html>
      <html><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta http-equiv="x-dns-prefetch-control" content="off">
      <meta name="referrer" content="no-referrer">
      <meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark">
      <title>
      """)
    page.put(text: subject.isEmpty ? "(no subject)" : subject)
    page.put("</title><style>\(PageStyle.sheet)</style></head>\n<body><header><h1>")
    page.put(value: subject.isEmpty ? "(no subject)" : subject)
    page.put("</h1>")
    if let older { page.paragraph("older", "\(own: older)") }
    page.put("</header>\n<main>\n")
    return page.bytes
  }

  package static let foot = Array("</main></body></html>\n".utf8)

  /// Writes a message piece by piece: one of ten megabytes is not held as a page.
  package func write(
    _ message: PageMessage, to sink: ([UInt8]) throws -> Void
  ) rethrows {
    var page = PageWriter()
    page.put(
      isOfOne
        ? "<article>\n"
        : message.isOpen ? "<details class=\"message\" open>" : "<details class=\"message\">")
    if !isOfOne { page.put("<summary>") }
    page.put("<div class=\"line\"><b>")
    page.put(people: message.from.isEmpty ? "(nobody)" : message.from)
    page.put("</b> <span class=\"date\">")
    page.put(text: message.date)
    page.put("</span></div>")
    if !isOfOne {
      page.put("<div class=\"snippet\">")
      page.put(value: message.snippet)
      page.put("</div></summary>")
    }
    page.put("<div class=\"head\">")
    for line in message.head { page.put(field: line.name, line.value) }
    page.put("</div>\n")
    for warning in message.warnings { page.paragraph("warning", warning) }
    for block in message.blocks { try page.put(block, to: sink) }
    if !message.attachments.isEmpty { page.put(message.attachments) }
    for note in message.notes { page.paragraph("note", note) }
    if let address = message.unsubscribe { page.put(unsubscribe: address) }
    page.put(isOfOne ? "</article>\n" : "</details>\n")
    try page.flush(to: sink)
  }
}
