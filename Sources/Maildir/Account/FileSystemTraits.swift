#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Which names the tree's file system takes for the same.
package struct FileSystemTraits: Hashable, Sendable {
  /// `Mail` and `mail` are one name.
  package var foldsCase: Bool
  /// é as one character and as e with an accent are one name.
  package var foldsNormalisation: Bool

  package init(foldsCase: Bool = false, foldsNormalisation: Bool = false) {
    self.foldsCase = foldsCase
    self.foldsNormalisation = foldsNormalisation
  }
}

extension AccountTree {
  /// Found out without writing anything: `.mirror` is there, so is it there as `.MIRROR` too?
  ///
  /// Linux folds both or neither (ext4 and f2fs casefold); macOS folds normalisation on every file
  /// system of its own.
  package func traits() throws(MaildirError) -> FileSystemTraits {
    let own = try directory.facts(Self.controlName)
    let twin = try directory.facts(".MIRROR")
    let foldsCase = own != nil && own?.inode == twin?.inode
    #if os(Linux)
      return FileSystemTraits(foldsCase: foldsCase, foldsNormalisation: foldsCase)
    #else
      return FileSystemTraits(foldsCase: foldsCase, foldsNormalisation: true)
    #endif
  }
}
