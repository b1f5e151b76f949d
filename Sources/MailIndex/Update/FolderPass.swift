import Maildir

/// One pass over directories of a folder: their sums, and the names as long as they have room.
struct FolderPass {
  struct Entry {
    let subdirectory: Subdirectory
    let nameHash: Int64
    let inode: Int64
    /// Where the name ends among all names; it begins where the one before ends.
    let end: Int
  }

  /// Bytes of names: of some 200,000 files.
  static let room = 16 << 20

  let stamp: FolderStamp
  /// Whether the directories never rested: nothing may be concluded from a name that is missing.
  let isRaced: Bool
  private(set) var sums = FolderSums()
  private(set) var count = 0
  private var entries: [Entry] = []
  private var names: [UInt8] = []

  init(
    _ folder: MaildirFolder, _ subdirectories: Set<Subdirectory>, room: Int = FolderPass.room
  ) throws(MaildirError) {
    var (sums, count) = (FolderSums(), 0)
    var (entries, names): ([Entry], [UInt8]) = ([], [])
    (stamp, isRaced) = try FolderEntries.read(folder, subdirectories) {
      (sums, count) = (FolderSums(), 0)
      entries.removeAll(keepingCapacity: true)
      names.removeAll(keepingCapacity: true)
    } _: { subdirectory, name, inode in
      let (hash, inode) = (KnownFiles.hash(subdirectory, name), Int64(bitPattern: inode))
      sums[subdirectory] = sums[subdirectory] + DirectorySum(nameHash: hash, inode: inode)
      count += 1
      guard entries.count == count - 1, names.count + name.count <= room else { return }
      names.append(contentsOf: name)
      entries.append(
        Entry(subdirectory: subdirectory, nameHash: hash, inode: inode, end: names.count))
    }
    (self.sums, self.count, self.entries, self.names) = (sums, count, entries, names)
  }

  /// The one file of the directory that makes such a difference.
  func entry(in subdirectory: Subdirectory, adding sum: DirectorySum) -> Int? {
    entries.firstIndex {
      UInt64(bitPattern: $0.nameHash) == sum.names && $0.subdirectory == subdirectory
        && DirectorySum(nameHash: $0.nameHash, inode: $0.inode) == sum
    }
  }

  /// Calls `body` with one entry and its name, which is valid during the call only.
  func withEntry(_ index: Int, _ body: (Entry, UnsafeRawBufferPointer) -> Void) {
    let start = index == 0 ? 0 : entries[index - 1].end
    names.withUnsafeBytes {
      body(entries[index], UnsafeRawBufferPointer(rebasing: $0[start..<entries[index].end]))
    }
  }

  /// Goes over the entries of a pass once more, or over the directories where there was none or it had no room for all.
  ///
  /// - Parameters:
  ///   - restart: called before each pass; forget what the last one told.
  ///   - body: gets the subdirectory, the name (valid during the call only), its hash and the inode.
  /// - Returns: what ``stamp`` and ``isRaced`` are of the pass that counts.
  static func forEach(
    of pass: FolderPass?, _ folder: MaildirFolder, _ subdirectories: Set<Subdirectory>,
    restart: () -> Void,
    _ body: (Subdirectory, UnsafeRawBufferPointer, _ nameHash: Int64, _ inode: Int64) -> Void
  ) throws(MaildirError) -> (stamp: FolderStamp, isRaced: Bool) {
    guard let pass, pass.entries.count == pass.count else {
      return try FolderEntries.read(folder, subdirectories, restart: restart) {
        body($0, $1, KnownFiles.hash($0, $1), Int64(bitPattern: $2))
      }
    }
    restart()
    pass.names.withUnsafeBytes { names in
      var start = 0
      for entry in pass.entries {
        let name = UnsafeRawBufferPointer(rebasing: names[start..<entry.end])
        body(entry.subdirectory, name, entry.nameHash, entry.inode)
        start = entry.end
      }
    }
    return (pass.stamp, pass.isRaced)
  }
}
