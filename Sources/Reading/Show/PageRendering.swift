import MIME
import SafeHTML

/// A message's text, its HTML by the reader that knows pages as browsers do, with what these pages tell a warner.
///
/// Each page is parsed once. One that is too large is left to the simpler reader.
struct PageRendering {
  private(set) var text = ReadableText()
  private(set) var pages: [SafePage] = []

  init(_ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure) {
    var pages: [SafePage] = []
    text = ReadableText.read(
      bytes, structure,
      pages: .asText { html, firstLink, limit, text in
        guard let tree = try? PageTree(html) else { return nil }
        pages.append(Sanitiser.examine(tree))
        let page = PageText.read(tree, firstLink: firstLink, limit: limit)
        guard !page.isRefused else { return nil }
        text += page.text
        return HTMLText(
          links: page.links.map {
            HTMLText.Link(label: $0.label, url: $0.url, realHost: $0.misleadsTo)
          })
      },
      unread: { if let tree = try? PageTree($0) { pages.append(Sanitiser.examine(tree)) } })
    self.pages = pages
  }

  /// What the pages of a message tell, read without its text.
  static func pages(
    of bytes: UnsafeRawBufferPointer, _ structure: MessageStructure
  ) -> [SafePage] {
    var pages: [SafePage] = []
    PageParts.each(in: bytes, structure) {
      if let tree = try? PageTree($0) { pages.append(Sanitiser.examine(tree)) }
    }
    return pages
  }
}
