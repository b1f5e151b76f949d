#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Mail that a symbolic link in an account's directory leads to. It is no part of the tree: whoever removes the tree leaves
/// it where it lies.
package struct LinkedMail: Sendable, Hashable {
  /// Of the link, below the account's directory.
  package let path: String
  /// Where the mail lies, without any link on the way.
  package let target: String
  /// It leads there from anywhere; else only from where it is.
  package let isAbsolute: Bool

  /// Nil where the name is no link, or one that leads to no mail, or to a place below `root`, which goes with the tree.
  init?(_ name: some FileName, in directory: Directory, below path: [String], of root: String) {
    let link = directory.path + "/" + name.forPeople
    guard let text = Self.text(name, in: directory), let target = realPath(link),
      !(target + "/").hasPrefix((realPath(root) ?? root) + "/"),
      let there = try? directory.directory(name), Self.isMail(there, name, of: directory)
    else { return nil }
    self.path = (path + [name.forPeople]).joined(separator: "/")
    self.target = target
    isAbsolute = text.first == UInt8(ascii: "/")
  }

  /// A folder, even an empty one, folders, or one half of one.
  private static func isMail(
    _ there: Directory, _ name: some FileName, of parent: Directory
  ) -> Bool {
    let isPart = ["new", "cur"].contains(name.forPeople)
    let isFolder = (try? there.exists("cur")) ?? true
    return isPart || isFolder || MailHolder.holdsMail(Array(name.forPeople.utf8), of: parent)
  }

  private static func text(_ name: some FileName, in directory: Directory) -> [UInt8]? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try? name.withName { name throws(MaildirError) in
      readlinkat(directory.descriptor, name, &bytes, bytes.count)
    }
    guard let count, count > 0 else { return nil }
    return bytes.prefix(count).map { UInt8(bitPattern: $0) }
  }
}
