import MIME
import SafeHTML

/// HTML as text, by the reader that knows pages as browsers do; one that is too large is left to the simpler one.
enum PageRendering {
  static func append(
    _ html: UnsafeRawBufferPointer, firstLink: Int, limit: Int, into text: inout [UInt8]
  ) -> HTMLText? {
    let page = PageText.read(html, firstLink: firstLink, limit: limit)
    guard !page.isRefused else { return nil }
    text += page.text
    return HTMLText(
      links: page.links.map { HTMLText.Link(label: $0.label, url: $0.url, realHost: $0.misleadsTo) }
    )
  }
}
