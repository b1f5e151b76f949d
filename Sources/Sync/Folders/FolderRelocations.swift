import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Folders that get another place because of what the server did to their mailboxes. A move is written down before it is
/// begun, and by the next run at the latest it is finished.
struct FolderRelocations {
  let context: AccountContext
  private var state: StateStore { context.state }
  private var folders: AccountFolders { context.folders }

  init(_ context: AccountContext) { self.context = context }

  /// Moves a mailbox's folder, and saves what the mailbox is after that.
  ///
  /// - Parameters:
  ///   - record: already with the folder's new place. The state has the one where it lies.
  ///   - pending: mailboxes whose own turn comes: until then their folders go along.
  func relocate(_ record: inout MailboxRecord, besides pending: Set<MailboxKey>) throws {
    guard let old = try state.mailbox(record.id)?.folder, old != record.folder,
      let inode = try folders.inode(of: old)
    else { return try save(&record, along: []) }
    var relocation = FolderRelocation(
      of: record, from: old, inode: inode,
      with: try companions(of: record, in: old, besides: pending))
    // What waits there could not be settled: it must not be forgotten.
    if let begun = try state.relocationUnderWay() {
      throw SyncError.folderWaits(for: begun.old.text, to: begun.new.text)
    }
    try write(relocation)
    context.noteChange()
    try carryOut(&relocation, of: &record)
  }

  /// What a run that was cut off was about to move is moved, before anything is held against the state.
  ///
  /// Where that is not possible it waits for the pull that began it, and is told.
  ///
  /// - Throws: ``PushError/foldersMoving`` in a dry run, which moves nothing and cannot see what comes of it.
  func finish() throws {
    guard var relocation = try state.relocationUnderWay() else { return }
    if context.isRehearsal { throw PushError.foldersMoving }
    guard var record = try relocation.applied(to: state.mailboxes()) else { return try forget() }
    try context.sparing(record.name) {
      let isHere = try wholly(relocation) {
        try folders.inode(of: relocation.old) == relocation.inode
      }
      guard
        try isHere || relocation.isMerging
          || folders.inode(of: relocation.new) == relocation.inode
      else {
        // A person took it elsewhere since, or the tree is a copy.
        _ = try takenAlong(relocation, all: false)
        return try forget()
      }
      try carryOut(&relocation, of: &record, isMoved: !isHere)
    }
  }

  private func carryOut(
    _ relocation: inout FolderRelocation, of record: inout MailboxRecord, isMoved: Bool = false
  ) throws {
    let (old, new) = (relocation.old, relocation.new)
    // The account's own directory cannot be moved.
    if old.components.isEmpty, !relocation.isMerging {
      relocation.isMerging = true
      try write(relocation)
    }
    if !relocation.isMerging, !isMoved {
      do throws(MaildirError) {
        try folders.rename(old, to: new)
      } catch {
        if !error.leavesMerging {
          // Something can fail after the rename, too.
          if try folders.inode(of: old) == relocation.inode { try forget() }
          throw error
        }
        relocation.isMerging = true
        try write(relocation)
      }
    }
    if relocation.isMerging {
      let merge = FolderMerge(
        context: context, mailbox: relocation.mailbox, inode: relocation.inode)
      try wholly(relocation) { try merge.merge(old, into: new) }
      // They lie in other directories from now on.
      try state.transaction { try $0.removeFolderIdentity(of: relocation.mailbox) }
      (record.newInode, record.curInode) = (0, 0)
    }
    let before = record.isGone ? try state.mailbox(record.id) : nil
    try save(&record, along: relocation.isMerging ? [] : takenAlong(relocation, all: true))
    guard let before else { return }
    context.note(
      RunProblem(
        mailbox: before.name,
        problem: "The server no longer has this mailbox; its folder stays here as “\(new.text)”.",
        exitStatus: .done))
  }

  /// Goes on, or fails, for the whole run: whoever looked at the tree meanwhile would take it for a person's work.
  private func wholly<Result>(_ relocation: FolderRelocation, _ work: () throws -> Result) throws
    -> Result
  {
    do {
      return try work()
    } catch let error as MaildirError where relocation.isMerging && !error.stopsRun {
      throw SyncError.folderHalfMoved(
        from: relocation.old.text, to: relocation.new.text, error.explanation)
    }
  }

  private func write(_ relocation: FolderRelocation?) throws {
    try state.transaction { try $0.setRelocation(relocation) }
  }

  private func forget() throws {
    try write(nil)
    context.noteChange()
  }

  private func save(_ record: inout MailboxRecord, along below: [MailboxRecord]) throws {
    record.newModified = 0
    record.curModified = 0
    let saved = record
    // Another folder's move may wait.
    let isDone = try state.relocationUnderWay()?.mailbox == record.id
    try state.transaction { transaction in
      try transaction.save(saved)
      for other in below { try transaction.save(other) }
      if isDone { try transaction.setRelocation(nil) }
    }
    context.noteChange()
  }

  // MARK: Folders below

  private func companions(
    of record: MailboxRecord, in old: FolderPath, besides pending: Set<MailboxKey>
  ) throws -> [FolderRelocation.Companion] {
    guard !old.components.isEmpty else { return [] }
    return try state.mailboxes().compactMap { other in
      let (id, home) = (other.id, other.folder)
      guard id != record.id, home != old, home.isInside(old),
        let inode = try folders.inode(of: home)
      else { return nil }
      return FolderRelocation.Companion(
        mailbox: id, home: home, inode: inode,
        stays: other.isGone || pending.contains(id))
    }
  }

  /// What the server has under its old name still gets its folder back.
  ///
  /// - Parameter all: also those that are to stay where they came to.
  /// - Returns: mailboxes whose folders lie elsewhere now.
  private func takenAlong(_ relocation: FolderRelocation, all: Bool) throws -> [MailboxRecord] {
    let known = try state.mailboxes()
    var taken: [MailboxRecord] = []
    // What goes back takes others along: the upper ones first, then those that stay where they are by then.
    let companions = relocation.companions.sorted {
      $0.stays == $1.stays ? $0.home.text.utf8.count < $1.home.text.utf8.count : !$0.stays
    }
    for companion in companions where all || !companion.stays {
      let home = companion.home
      guard var other = known.first(where: { $0.id == companion.mailbox }), other.folder == home,
        let place = home.moved(from: relocation.old, to: relocation.new),
        try folders.inode(of: place) == companion.inode
      else { continue }
      if !companion.stays {
        if try putBack(place, to: home) { continue }
        context.note(
          RunProblem(
            mailbox: other.name,
            problem:
              "This mailbox's folder was moved along with another's, and cannot be put back to "
              + "“\(home.text.visible)”: it lies in “\(place.text.visible)” from now on.",
            exitStatus: .done))
      }
      other.folder = place
      taken.append(other)
    }
    return taken
  }

  private func putBack(_ place: FolderPath, to home: FolderPath) throws -> Bool {
    do throws(MaildirError) {
      try folders.rename(place, to: home)
      return true
    } catch {
      if error.stopsRun { throw error }
      return try !folders.holds(place)
    }
  }
}
