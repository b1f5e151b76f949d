import Ledger
import Maildir
import State

/// A name in a hierarchy, of mailboxes or of folders, that becomes another: what is below it goes in step.
///
/// Names are compared byte for byte, as servers and disks do; Swift's strings take the two spellings of “é” for one.
struct BranchMove {
  let old: String
  let new: String
  let separator: String

  /// The name itself, or one below it, as it is called behind the move; nil for all others.
  func name(of name: String) -> String? {
    guard takes(name) else { return nil }
    return new + String(Substring(name.utf8.dropFirst(old.utf8.count)))
  }

  /// The same for one below it alone.
  func name(below name: String) -> String? {
    name.isBelow(old, separator) ? self.name(of: name) : nil
  }

  func takes(_ name: String) -> Bool {
    name.utf8.elementsEqual(old.utf8) || name.isBelow(old, separator)
  }

  /// Whether it would end below itself, which no server can do.
  var isIntoItself: Bool { new.isBelow(old, separator) }
}

extension String {
  /// Whether it lies below the other in a hierarchy with this separator.
  func isBelow(_ other: String, _ separator: String) -> Bool {
    utf8.starts(with: other.utf8)
      && utf8.dropFirst(other.utf8.count).starts(with: separator.utf8)
  }
}

extension LayoutStyle {
  /// Between a folder and those below it, in the state's spelling.
  var separator: String { self == .nested ? "/" : "." }
}

extension MailboxRecord {
  var separator: String { delimiter ?? "/" }

  /// The mailboxes below it, by name: those that the server has below it.
  func below(among mailboxes: some Sequence<MailboxRecord>) -> [MailboxRecord] {
    let prefix = rawName + separator.utf8
    // One that is only foreseen has no raw name yet.
    return mailboxes.filter {
      $0.name.isBelow(name, separator)
        && (rawName.isEmpty || $0.rawName.isEmpty || $0.rawName.starts(with: prefix))
    }.sorted { $0.name < $1.name }
  }

  /// Whether its folder, as the state has it, is this one: byte for byte where the file system tells names apart so.
  func lies(at path: FolderPath) -> Bool { FolderPath(text: folder) == path }
}
