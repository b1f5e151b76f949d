/// The visible text of HTML: no markup, style, script, comments, hidden elements or padding; blocks as lines.
///
/// Input and output are UTF-8. Time is linear in the input, however broken it is.
package struct HTMLText: Sendable, Equatable {
  /// For whom the text is.
  package enum Style: Sendable {
    /// Words and lines only.
    case index
    /// Quotations marked `> `, list marks, links numbered.
    case show
  }

  package struct Link: Sendable, Equatable {
    package let label: String
    package let url: String
    /// The host it leads to, where its label shows another, as far as the reader looked at that.
    package let realHost: String?

    package init(label: String, url: String, realHost: String? = nil) {
      self.label = label
      self.url = url
      self.realHost = realHost
    }
  }

  /// Another reader of pages: appends the text of HTML (UTF-8), about `limit` bytes at most, its links numbered from
  /// `firstLink` on; nil, and nothing appended, where it cannot.
  package typealias Renderer = (
    _ html: UnsafeRawBufferPointer, _ firstLink: Int, _ limit: Int, _ text: inout [UInt8]
  ) -> HTMLText?

  /// The links of `show` in the order of their numbers, `[1]` being the first.
  package internal(set) var links: [Link] = []
  /// Where in the output quotations stand (offsets into the array appended to).
  package internal(set) var quotes: [Range<Int>] = []

  package init(links: [Link] = [], quotes: [Range<Int>] = []) {
    self.links = links
    self.quotes = quotes
  }

  /// Appends the text of `html`, about `limit` bytes of it at most.
  ///
  /// Links are numbered from `firstLink` on.
  ///
  /// Where nothing at all would be visible, what is hidden is taken: some programs hide the whole and show it by script.
  @discardableResult
  package static func append(
    _ html: UnsafeRawBufferPointer, style: Style = .index, firstLink: Int = 1,
    limit: Int = 1 << 20, into text: inout [UInt8]
  ) -> HTMLText {
    let start = text.count
    for showsHidden in [false, true] {
      var reader = HTMLReader(
        html, style: style, firstLink: firstLink, limit: limit, showsHidden: showsHidden, text: text
      )
      text = []  // the reader holds the only reference and appends in place
      reader.read()
      text = reader.writer.text
      let isEmpty = !text[start...].contains { $0 > ASCII.space }
      if !isEmpty || showsHidden || !reader.hasHidden { return reader.result }
      text.removeSubrange(start...)
    }
    return HTMLText()
  }

  /// The charset that a `<meta>` or XML declaration in the first bytes names, still to be looked up.
  package static func declaredCharset(_ html: UnsafeRawBufferPointer) -> Charset? {
    let head = UnsafeRawBufferPointer(rebasing: html.prefix(4096))
    for (index, byte) in head.enumerated()
    where byte | 0x20 == UInt8(ascii: "c") || byte | 0x20 == UInt8(ascii: "e") {
      let rest = head[index...]
      for word in ["charset", "encoding"] where rest.count > word.utf8.count + 1 {
        guard zip(rest, word.utf8).allSatisfy({ ASCII.lowered($0) == $1 }) else { continue }
        var start = index + word.utf8.count
        while start < head.count, head[start] <= ASCII.space { start += 1 }
        guard start < head.count, head[start] == ASCII.equals else { continue }
        start += 1
        while start < head.count, head[start] <= ASCII.quote || head[start] == UInt8(ascii: "'") {
          start += 1
        }
        let end = head[start...].firstIndex { !isLabel($0) } ?? head.count
        if let charset = Charset(label: UnsafeRawBufferPointer(rebasing: head[start..<end])) {
          return charset
        }
      }
    }
    return nil
  }

  private static func isLabel(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.dash || byte == ASCII.underscore
      || byte == ASCII.colon || byte == ASCII.dot
  }
}
