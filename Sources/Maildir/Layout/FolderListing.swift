import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension AccountTree {
  /// Names of directories that hold no mail.
  static let passedOver: Set<String> = [controlName, ".notmuch", ".nnmaildir"]

  /// Every whole Maildir of the account, sorted by path, the account itself included when it is
  /// one.
  ///
  /// Directories with a `.noindex` file are passed over, with all that is below. What a symbolic link leads to counts
  /// where it truly lies, if that is in the account; a link to another account, or to what is above, leads nowhere.
  package func folders(_ style: LayoutStyle) throws(MaildirError) -> [FolderPath] {
    try FolderWalk.walk(directory, style, owned: [], sparesUnread: false).folders
  }

  /// The same where what cannot be looked into is no reason to give up all.
  ///
  /// - Parameter owned: folders that mailboxes have: what links lead to counts there first of all.
  /// - Returns: also the directories that may hold Maildirs, and cannot be read; and, for people,
  ///   those that hold mail and have names that are no UTF-8.
  package func readableFolders(_ style: LayoutStyle, owned: [FolderPath] = [])
    throws(MaildirError) -> (
      folders: [FolderPath], unread: [FolderPath], unnamed: [String]
    )
  {
    let walk = try FolderWalk.walk(directory, style, owned: owned, sparesUnread: true)
    return (walk.folders, walk.unread, walk.unnamed)
  }

  /// Every directory that is a folder, may become one, or may get some.
  ///
  /// - Returns: also those that cannot be read.
  package func folderPlaces(_ style: LayoutStyle) throws(MaildirError) -> (
    places: [FolderPath], unread: [FolderPath]
  ) {
    let walk = try FolderWalk.walk(directory, style, owned: [], sparesUnread: true)
    return (walk.places, walk.unread)
  }

  static func isMaildir(_ directory: Directory) throws(MaildirError) -> Bool {
    try maildir(directory) != nil
  }

  /// Facts of a Maildir's directories, which are not opened for them; nil where it is none.
  ///
  /// - Returns: also whether its owner may look into all of them.
  static func maildir(_ directory: Directory) throws(MaildirError) -> (
    new: FileFacts, cur: FileFacts, isOpen: Bool
  )? {
    guard let cur = try directory.facts("cur"), cur.isDirectory,
      let new = try directory.facts("new"), new.isDirectory,
      let tmp = try directory.facts("tmp"), tmp.isDirectory
    else { return nil }
    return (new, cur, [new, cur, tmp].allSatisfy { $0.permissions & 0o500 == 0o500 })
  }
}
