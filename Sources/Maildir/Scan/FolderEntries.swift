import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A pass over a folder's messages by name and inode, for who keeps names of its own to compare with.
///
/// A rename while a directory is read can hide a file, so the pass is repeated while the directories
/// change.
package enum FolderEntries {
  /// - Parameters:
  ///   - subdirectories: those to be read.
  ///   - restart: called before each pass; forget what the last one told.
  ///   - body: gets the subdirectory, the name (valid during the call only) and the inode.
  /// - Returns: the stamp from before the pass; `isRaced` when the directories never rested: then
  ///   nothing may be concluded from a name that is missing.
  package static func read(
    _ folder: MaildirFolder, _ subdirectories: Set<Subdirectory> = Set(Subdirectory.allCases),
    tries: Int = 4, restart: () -> Void,
    _ body: (Subdirectory, UnsafeRawBufferPointer, UInt64) throws(MaildirError) -> Void
  ) throws(MaildirError) -> (stamp: FolderStamp, isRaced: Bool) {
    var tried = 1
    while true {
      let (stamp, isBlind) = try FolderScan.quietStamp(folder)
      restart()
      for subdirectory in Subdirectory.allCases where subdirectories.contains(subdirectory) {
        try DirectoryNames.forEachEntry(in: folder.directory(of: subdirectory)) {
          name, kind, inode throws(MaildirError) in
          if kind == .directory || name[0] == UInt8(ascii: ".") { return }
          try body(subdirectory, name, inode)
        }
      }
      let after = try folder.stamp()
      let isRaced = isBlind || !after.matches(stamp)
      if !isRaced || tried >= tries { return (stamp, isRaced) }
      tried += 1
    }
  }

  /// Facts of a message's file; nil when it is gone.
  package static func facts(_ file: MessageFile, in folder: MaildirFolder) throws(MaildirError)
    -> FileFacts?
  {
    try folder.directory(of: file.subdirectory).facts(file.name)
  }
}
