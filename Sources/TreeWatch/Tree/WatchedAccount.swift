import Maildir

/// An account whose tree is watched.
package struct WatchedAccount: Hashable, Sendable {
  package let name: String
  package let path: String
  package let layout: LayoutStyle

  package init(name: String, path: String, layout: LayoutStyle) {
    self.name = name
    self.path = path
    self.layout = layout
  }
}
