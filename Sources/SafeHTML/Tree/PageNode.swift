import CGumbo

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Decoded bytes of a tree, UTF-8 without NULs.
typealias PageBytes = UnsafeRawBufferPointer

/// A node of a `PageTree`; valid as long as the tree.
struct PageNode {
  enum Content {
    case element(PageElement)
    case text(PageBytes)
    /// A comment or what is left of a declaration.
    case nothing
  }

  /// Which node it is of all in the tree.
  typealias Identity = UnsafePointer<GumboNode>

  private let node: UnsafePointer<GumboNode>

  init(_ node: UnsafePointer<GumboNode>) { self.node = node }

  var content: Content {
    switch node.pointee.type {
    case GUMBO_NODE_ELEMENT, GUMBO_NODE_TEMPLATE: .element(PageElement(node))
    case GUMBO_NODE_TEXT, GUMBO_NODE_WHITESPACE, GUMBO_NODE_CDATA:
      .text(bytes(node.pointee.v.text.text))
    default: .nothing
    }
  }

  init(_ element: PageElement) { node = element.node }

  /// The node right before or after it within what both stand in.
  func neighbour(before: Bool) -> PageNode? {
    guard let parent else { return nil }
    let place = Int(node.pointee.index_within_parent)
    let siblings = parent.children
    // Where the parser moved nodes about, their places may not be theirs.
    guard siblings[place]?.node == node else { return nil }
    return siblings[before ? place - 1 : place + 1]
  }

  /// What it is in; nil for the document.
  var parent: PageNode? {
    node.pointee.parent.map { PageNode(UnsafePointer($0)) }
  }

  var children: PageChildren {
    node.pointee.type == GUMBO_NODE_DOCUMENT
      ? PageChildren(node.pointee.v.document.children)
      : PageChildren(node.pointee.v.element.children)
  }
}

/// The nodes right below another.
struct PageChildren: Sequence {
  private let vector: GumboVector

  init(_ vector: GumboVector) { self.vector = vector }

  var count: Int { Int(vector.length) }

  subscript(place: Int) -> PageNode? {
    guard place >= 0, place < count, let node = vector.data[place] else { return nil }
    return PageNode(UnsafePointer(node.assumingMemoryBound(to: GumboNode.self)))
  }

  func makeIterator() -> some IteratorProtocol<PageNode> {
    UnsafeBufferPointer(start: vector.data, count: Int(vector.length)).lazy
      .compactMap { $0.map { PageNode(UnsafePointer($0.assumingMemoryBound(to: GumboNode.self))) } }
      .makeIterator()
  }
}

/// An element of a `PageTree`.
struct PageElement {
  fileprivate let node: UnsafePointer<GumboNode>
  let tag: GumboTag

  init(_ node: UnsafePointer<GumboNode>) {
    self.node = node
    tag = node.pointee.v.element.tag
  }

  var identity: PageNode.Identity { node }

  /// Whether it is HTML: not SVG or MathML.
  var isHTML: Bool { node.pointee.v.element.tag_namespace == GUMBO_NAMESPACE_HTML }

  var children: PageChildren { PageChildren(node.pointee.v.element.children) }

  /// Whether a link is somewhere below.
  var holdsLink: Bool { holdsLink(depth: 0) }

  private func holdsLink(depth: Int) -> Bool {
    // Deeper pages are refused.
    guard depth < PageLimits.standard.depth else { return true }
    return children.contains { child in
      guard case .element(let child) = child.content else { return false }
      return child.tag == GUMBO_TAG_A || child.holdsLink(depth: depth + 1)
    }
  }

  /// Its attributes in their order; no name comes twice.
  var attributes: some Sequence<(name: PageBytes, value: PageBytes)> {
    let vector = node.pointee.v.element.attributes
    return UnsafeBufferPointer(start: vector.data, count: Int(vector.length)).lazy.compactMap {
      entry -> (name: PageBytes, value: PageBytes)? in
      guard let attribute = entry?.assumingMemoryBound(to: GumboAttribute.self).pointee,
        attribute.attr_namespace == GUMBO_ATTR_NAMESPACE_NONE
      else { return nil }
      return (bytes(attribute.name), bytes(attribute.value))
    }
  }

  /// - Parameter name: in lower case.
  func attribute(_ name: StaticString) -> PageBytes? {
    for (found, value) in attributes where found.equals(name) { return value }
    return nil
  }
}

private func bytes(_ text: UnsafePointer<CChar>?) -> PageBytes {
  PageBytes(start: text, count: text.map { strlen($0) } ?? 0)
}
