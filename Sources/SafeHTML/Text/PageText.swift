/// A page as text for a terminal: numbered links, tables in columns, headings, lists, quotations marked `> `.
///
/// What a browser would not show is left out and counted.
package struct PageText: Sendable, Equatable {
  package struct Link: Sendable, Equatable {
    package var label: String
    package var url: String
    /// The host it leads to, where its label names another.
    package var misleadsTo: String?
  }

  package internal(set) var text: [UInt8] = []
  /// What the numbers in brackets stand for, the first being `firstLink`.
  package internal(set) var links: [Link] = []
  package internal(set) var hiddenWords = 0
  /// Whether the text goes on beyond the limit.
  package internal(set) var isCut = false
  /// Whether the page is too large for its tree: then there is no text, and the caller uses a simpler reader.
  package internal(set) var isRefused = false

  /// - Parameters:
  ///   - html: UTF-8.
  ///   - limit: bytes of text, about.
  package static func read(
    _ html: UnsafeRawBufferPointer, firstLink: Int = 1, limit: Int = 1 << 20,
    limits: PageLimits = .standard
  ) -> PageText {
    guard let tree = try? PageTree(html, limits: limits) else {
      var refused = PageText()
      refused.isRefused = true
      return refused
    }
    return read(tree, firstLink: firstLink, limit: limit, limits: limits)
  }

  /// The same of a page that was parsed already.
  package static func read(
    _ tree: borrowing PageTree, firstLink: Int, limit: Int, limits: PageLimits = .standard
  ) -> PageText {
    let found = read(tree, firstLink, limit, limits, showsHidden: false)
    // Where nothing can be seen, what is hidden is taken: some programs hide the whole and show it by script.
    guard found.text.isEmpty, found.hiddenWords > 0 else { return found }
    return read(tree, firstLink, limit, limits, showsHidden: true)
  }

  private static func read(
    _ tree: borrowing PageTree, _ firstLink: Int, _ limit: Int, _ limits: PageLimits,
    showsHidden: Bool
  ) -> PageText {
    var reader = PageReader(
      firstLink: firstLink, limit: limit, limits: limits, showsHidden: showsHidden)
    return tree.withRoot { root in root.map { reader.read($0) } ?? PageText() }
  }
}
