import MailCore
import Maildir
import State

/// Folders that get another place because of what the server did to their mailboxes.
extension AccountContext {
  /// Moves a mailbox's folder, and saves what the mailbox is behind that.
  ///
  /// - Parameters:
  ///   - record: already with the folder's new place.
  ///   - old: where it lies.
  ///   - pending: mailboxes whose own turn comes: until then their folders go along.
  func relocate(_ record: inout MailboxRecord, from old: FolderPath, besides pending: Set<Int64>)
    throws
  {
    let new = try record.folderPath()
    if old != new, let inode = try inode(of: old),
      var relocation = FolderRelocation(
        of: record, from: old.text, inode: inode, besides: pending)
    {
      try relocation.write(to: state)
      noteChange()
      try move(&relocation, from: old, to: new)
    }
    // Also where nothing was moved: a run that was cut off may have done it.
    try save(&record, movedFrom: old, besides: pending)
  }

  /// What a run that was cut off was about to move is moved, before anything is held against the state.
  ///
  /// Where that is not possible it waits for the pull that began it, and is told.
  func settleRelocation() throws {
    guard try state.fact(Fact.relocating) != nil else { return }
    guard var relocation = try FolderRelocation(in: state),
      var record = try relocation.applied(to: state.mailboxes()),
      let old = FolderPath(text: relocation.old), let new = FolderPath(text: relocation.new)
    else { return try dropRelocation() }
    try sparing(record.name) {
      if try inode(of: old) == relocation.inode {
        try move(&relocation, from: old, to: new)
      } else if try inode(of: new) != relocation.inode, !relocation.isMerging {
        // A person took it elsewhere since, or the tree is a copy.
        return try dropRelocation()
      } else if relocation.isMerging {
        tree.removeRemains(of: old)
      }
      try save(&record, movedFrom: old, besides: relocation.pending)
    }
  }

  private func dropRelocation() throws {
    try state.removeFact(Fact.relocating)
    noteChange()
  }

  /// Which directory lies there, by its `cur`; nil where no Maildir does.
  func inode(of path: FolderPath) throws -> Int64? {
    guard try holdsFolder(path) else { return nil }
    return try openFolder(path).stamp().curInode
  }

  private func move(_ relocation: inout FolderRelocation, from old: FolderPath, to new: FolderPath)
    throws
  {
    do throws(MaildirError) {
      if !relocation.isMerging { return try renameFolder(old, to: new) }
    } catch {
      guard case .nameTaken = error else {
        try dropRelocation()
        throw error
      }
      relocation.isMerging = true
      try relocation.write(to: state)
    }
    try merge(old, into: new)
  }

  /// A folder is there already (another mailbox's parent, or a person's own): the messages move into it.
  private func merge(_ old: FolderPath, into new: FolderPath) throws {
    let source = try MaildirFolder.open(old, in: tree)
    let target = try MaildirFolder.create(new, in: tree, fsync: policy.fsync)
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: source) { files.append($0) }
    // A keyword without a letter there stays agreed, and is taken off by nobody.
    for file in files {
      _ = try source.move(file, to: target, policy: policy, dropsLetters: true)
    }
    if policy.fsync {
      try target.syncDirectories()
      try source.syncDirectories()
    }
    // Stays where something is in it.
    try? removeFolder(old)
  }

  private func save(
    _ record: inout MailboxRecord, movedFrom old: FolderPath, besides pending: Set<Int64>
  ) throws {
    var below = try takenAlong(by: record, from: old, besides: pending)
    record.newModified = 0
    record.curModified = 0
    var saved = record
    try state.transaction { transaction in
      try transaction.save(&saved)
      for index in below.indices { try transaction.save(&below[index]) }
      try transaction.removeFact(Fact.relocating)
    }
    record = saved
    noteChange()
  }

  /// Mailboxes below whose folders went along. What the server has under its old name still gets its folder back.
  private func takenAlong(
    by record: MailboxRecord, from old: FolderPath, besides pending: Set<Int64>
  ) throws -> [MailboxRecord] {
    let new = try record.folderPath()
    guard !old.components.isEmpty, old != new else { return [] }
    var taken: [MailboxRecord] = []
    for var other in try state.mailboxes() where other.id != record.id {
      let home = try other.folderPath()
      guard home != old, home.isInside(old), try !holdsFolder(home),
        let place = FolderPath(
          components: new.components + home.components.dropFirst(old.components.count))
      else { continue }
      guard try holdsFolder(place) else { continue }
      if !other.isGone, !pending.contains(other.id ?? 0) {
        if (try? renameFolder(place, to: home)) != nil { continue }
      }
      other.folder = place.text
      taken.append(other)
    }
    return taken
  }
}
