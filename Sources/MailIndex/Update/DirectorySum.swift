import Maildir

/// What a directory holds, in two sums over its files, wrapped around. One file more or less shows as itself, however
/// many others there are: beside 100,000 known files a new one is found without asking for theirs.
struct DirectorySum: Equatable, Sendable {
  /// Of the hashes of names, as ``KnownFiles`` has them.
  var names: UInt64 = 0
  /// Of name and inode in one number: two files that exchange their names change only this.
  var files: UInt64 = 0

  init(names: UInt64 = 0, files: UInt64 = 0) {
    self.names = names
    self.files = files
  }

  /// Of one file.
  init(nameHash: Int64, inode: Int64) {
    names = UInt64(bitPattern: nameHash)
    files = LinkKey.mixed(names ^ LinkKey.mixed(UInt64(bitPattern: inode)))
  }

  static func + (a: DirectorySum, b: DirectorySum) -> DirectorySum {
    DirectorySum(names: a.names &+ b.names, files: a.files &+ b.files)
  }

  static func - (a: DirectorySum, b: DirectorySum) -> DirectorySum {
    DirectorySum(names: a.names &- b.names, files: a.files &- b.files)
  }
}

/// The sums of a folder's two directories.
struct FolderSums: Equatable, Sendable {
  var new = DirectorySum()
  var cur = DirectorySum()

  subscript(subdirectory: Subdirectory) -> DirectorySum {
    get { subdirectory == .new ? new : cur }
    set { if subdirectory == .new { new = newValue } else { cur = newValue } }
  }
}
