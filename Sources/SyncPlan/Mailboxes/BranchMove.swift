import MailCore
import Maildir

/// A name in a hierarchy, of mailboxes or of folders, that becomes another: the names below it change with it.
///
/// Names are compared byte for byte, as servers and disks do; to Swift's strings the two spellings of “é” are equal.
package struct BranchMove {
  package let old: String
  package let new: String
  package let separator: String

  package init(old: String, new: String, separator: String) {
    self.old = old
    self.new = new
    self.separator = separator
  }

  /// The name itself, or one below it, as it is called after the move; nil for all others.
  package func name(of name: String) -> String? {
    guard covers(name) else { return nil }
    return new + String(Substring(name.utf8.dropFirst(old.utf8.count)))
  }

  /// The same for one below it alone.
  package func name(below name: String) -> String? {
    name.isBelow(old, separator) ? self.name(of: name) : nil
  }

  /// The name that moves, or one below it.
  func covers(_ name: String) -> Bool {
    name.utf8.elementsEqual(old.utf8) || name.isBelow(old, separator)
  }

  /// Whether it would end below itself, which no server can do.
  var isIntoItself: Bool { new.isBelow(old, separator) }
}

extension String {
  /// Whether it lies below the other in a hierarchy with this separator.
  package func isBelow(_ other: String, _ separator: String) -> Bool {
    utf8.starts(with: other.utf8)
      && utf8.dropFirst(other.utf8.count).starts(with: separator.utf8)
  }
}

extension LayoutStyle {
  /// Where a folder below `old` belongs once that lies at `new`; nil for all that are not below it.
  package func place(of folder: FolderPath, from old: FolderPath, to new: FolderPath) -> FolderPath?
  {
    let separator = self == .nested ? "/" : "."
    return BranchMove(old: old.text, new: new.text, separator: separator)
      .name(below: folder.text).flatMap { FolderPath(text: $0) }
  }
}
