import CFileCalls

/// What tells this tree from a copy of it: a restore, or an rsync to another machine (the tree's
/// token).
///
/// The generation that belongs to the token is the state's to keep.
package struct TreeIdentity: Hashable, Sendable {
  /// Hash of the machine's identity; the identity itself is confidential (machine-id(5)).
  package var machine: UInt64
  package var inode: UInt64
  package var device: UInt64
  /// statvfs's number; 0 where it tells nothing.
  package var fileSystem: UInt64
  /// Nanoseconds since 1970; 0 where the file system keeps none. An inode number that was used
  /// again has another.
  package var birthTime: Int64

  /// Whether both are the same directory.
  ///
  /// A birth time, to the nanosecond, tells enough. Only without one the file system counts, too:
  /// its number and the device's may change from boot to boot (XFS, device mapper), and a mistake
  /// here parks the queue.
  package func isSameTree(as other: TreeIdentity) -> Bool {
    guard machine == other.machine, inode == other.inode, birthTime == other.birthTime else {
      return false
    }
    return birthTime != 0 || fileSystem == other.fileSystem && device == other.device
  }

  /// One line for the state.
  package var text: String {
    "1 \(machine) \(inode) \(device) \(fileSystem) \(birthTime)"
  }

  package init?(text: String) {
    let fields = text.split(separator: " ")
    guard fields.count == 6, fields[0] == "1", let machine = UInt64(fields[1]),
      let inode = UInt64(fields[2]), let device = UInt64(fields[3]),
      let fileSystem = UInt64(fields[4]), let birthTime = Int64(fields[5])
    else { return nil }
    self.machine = machine
    self.inode = inode
    self.device = device
    self.fileSystem = fileSystem
    self.birthTime = birthTime
  }

  init(_ directory: Directory) throws(MaildirError) {
    let facts = try directory.facts()
    machine = ThisProcess.current.machine
    inode = facts.inode
    device = facts.device
    fileSystem = FileSystemFacts(directory.descriptor)?.identity ?? 0
    birthTime = file_birth_time(directory.descriptor)
  }
}

extension AccountTree {
  package func identity() throws(MaildirError) -> TreeIdentity { try TreeIdentity(directory) }
}
