import MailCore

/// Whether mail may lie in a directory, whatever it is called.
enum MailHolder {
  /// No mail tree is deeper; a loop of symbolic links would be.
  private static let deepest = 40

  /// What is no folder's place: other programs' directories, and a Maildir's own.
  static func isPassedOver(_ name: String) -> Bool {
    AccountTree.passedOver.contains(name) || ["tmp", "new", "cur"].contains(name)
  }

  /// In `new` or `cur`, where the directory has one.
  static func holdsFile(_ directory: Directory) throws(MaildirError) -> Bool {
    for name in ["new", "cur"] {
      guard let part = try directory.directory(name) else { continue }
      var isEmpty = true
      try MessageNames.forEach(in: part) { _, _, _ in isEmpty = false }
      if !isEmpty { return true }
    }
    return false
  }

  /// There and below; also where it cannot be looked into.
  static func holdsMail(_ name: [UInt8], of parent: Directory, depth: Int = 0) -> Bool {
    if depth > deepest || isPassedOver(String(decoding: name, as: UTF8.self)) { return false }
    do throws(MaildirError) {
      guard let child = try parent.directory(name) else { return false }
      if try holdsFile(child) { return true }
      let level = try TreeLevel(child)
      let below = level.directories.map { Array($0.utf8) } + level.unnamed
      return below.contains { holdsMail($0, of: child, depth: depth + 1) }
    } catch {
      return true
    }
  }
}
