import CGumbo

/// A page's elements as browsers see them (HTML Standard §13.2), however broken the markup is.
///
/// Whoever wants a page made safe and as text has it parsed once. All its memory lies in blocks of its own and is freed at
/// once.
package struct PageTree: ~Copyable {
  private let tree: OpaquePointer
  /// The parser reads this as long as the tree lives.
  private let page: UnsafeMutableRawBufferPointer

  /// Why a page has no tree.
  package enum Refusal: Error { case tooLong, tooManyTags, tooManyAttributes, tooMuchMemory }

  /// Browsers read a page without a doctype by other rules, under which a paragraph may hold a table. Ours has one, so
  /// the mail's is read with one.
  private static let doctype = Array("<!DOCTYPE html>".utf8)

  /// - Parameter html: UTF-8; what is none becomes U+FFFD.
  package init(
    _ html: UnsafeRawBufferPointer, limits: PageLimits = .standard
  ) throws(Refusal) {
    guard html.count <= limits.bytes else { throw .tooLong }
    let tags = html.reduce(0) { $0 + ($1 == ASCII.less ? 1 : 0) }
    guard tags <= limits.tags else { throw .tooManyTags }
    guard AttributeCount.isAtMost(limits.attributes, in: html) else { throw .tooManyAttributes }
    let length = Self.doctype.count + html.count
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: length + 1, alignment: 1)
    page.copyBytes(from: Self.doctype)
    UnsafeMutableRawBufferPointer(rebasing: page[Self.doctype.count...]).copyBytes(from: html)
    page[length] = 0
    NumericReferences.bound(in: page)
    let start = page.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard let tree = mirror_page_parse(start, length, limits.treeBytes) else {
      page.deallocate()
      throw .tooMuchMemory
    }
    self.tree = tree
    self.page = page
  }

  /// Bytes of the page.
  var length: Int { page.count - 1 - Self.doctype.count }

  deinit {
    mirror_page_free(tree)
    page.deallocate()
  }

  /// Gives the `html` element to `body`; no node may be kept beyond it.
  borrowing func withRoot<Result>(_ body: (PageElement?) -> Result) -> Result {
    let document = PageNode(mirror_page_document(tree))
    for child in document.children {
      if case .element(let element) = child.content, element.tag == GUMBO_TAG_HTML {
        return body(element)
      }
    }
    return body(nil)
  }
}

extension PageTree.Refusal {
  /// Why, for a person.
  var words: String {
    switch self {
    case .tooLong: "it is longer than 2 MiB"
    case .tooManyTags: "it has more than 100,000 tags"
    case .tooManyAttributes: "a tag of it has more than 256 attributes"
    case .tooMuchMemory: "it would need too much memory"
    }
  }
}
