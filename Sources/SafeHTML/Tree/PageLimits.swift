/// How large a page may be before only its words are shown.
package struct PageLimits: Sendable {
  package var bytes = 2 << 20
  /// `<` in it.
  package var tags = 100_000
  /// Attributes of one tag.
  package var attributes = 256
  /// Of elements inside one another.
  package var depth = 256
  /// Of one attribute but an image's address.
  package var attributeBytes = 64 << 10
  /// What the tree may need: a newsletter of the most bytes needs half of it.
  package var treeBytes = 30 << 20

  package init() {}

  package static let standard = PageLimits()
}
