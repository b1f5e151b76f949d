import IMAPWire
import Ledger
import MailCore
import State
import SyncPlan

/// A mailbox is renamed on the server first and in the state then. What is about to be done is written down before, so
/// that a run cut off in between leaves word of it: what a person does to the folders since could not be understood
/// without.
struct RenameJournal {
  let context: AccountContext
  private var state: StateStore { context.state }
  private var folders: AccountFolders { context.folders }

  init(_ context: AccountContext) { self.context = context }

  /// Writes down what is about to be asked for.
  ///
  /// - Returns: the same with the directories that are to move.
  func begin(_ rename: MailboxRename) throws -> MailboxRename {
    var rename = rename
    let known = try state.mailboxes()
    for (place, change) in rename.changes.enumerated() where change.isToMove {
      let home = known.first { $0.id == change.mailbox }?.folder
      rename.changes[place].inode = try home.flatMap(folders.inode(of:))
    }
    try state.transaction { try $0.setRename(rename) }
    context.noteChange()
    return rename
  }

  /// The server did not do it.
  func drop() throws {
    try state.transaction { try $0.setRename(nil) }
    context.noteChange()
  }

  /// The server did it: folders that the person did not move follow, and the state knows.
  ///
  /// - Parameter raw: the mailbox's new name as the server spells it.
  /// - Returns: the mailbox itself, then those below it.
  func complete(_ rename: MailboxRename, raw: [UInt8]) throws -> [RenamedMailbox] {
    let known = try state.mailboxes()
    let before = rename.changes.compactMap { change in known.first { $0.id == change.mailbox } }
    try makeRoom(for: rename, among: known.filter { !before.contains($0) })
    let rename = try moveFolders(rename, of: before)
    let old = before.first?.rawName ?? []
    // What is below by name and not on the server's side did not go along.
    var after = try rename.applied(to: before, holds: folders.holds)
    for index in after.indices {
      after[index].rawName = raw + after[index].rawName.dropFirst(old.count)
    }
    try commit(&after) { try $0.setRename(nil) }
    return zip(before, after).map { RenamedMailbox(before: $0, after: $1) }
  }

  /// Mailboxes that have the new names: the server has them no longer, or it would not have given their names to others.
  private func makeRoom(for rename: MailboxRename, among others: [MailboxRecord]) throws {
    let names = Set(rename.changes.map(\.name))
    let places = Set(rename.changes.filter { !$0.isToMove }.map(\.folder))
    for var record in others where names.contains(record.name) {
      if try !places.contains(record.folder) && folders.holds(record.folder) {
        try MailboxRenaming(context: context).clear(record.mailboxName)
      } else {
        // Nothing but the renamed one's folder can lie there.
        try FreeNames(context).retire(&record)
        try state.save(record)
      }
    }
  }

  /// A mailbox whose directory cannot be moved keeps its place; one whose directory went away has none there any more.
  ///
  /// - Returns: the same with nothing left to move.
  private func moveFolders(_ rename: MailboxRename, of known: [MailboxRecord]) throws
    -> MailboxRename
  {
    var rename = rename
    for (index, change) in rename.changes.enumerated() where change.isToMove {
      rename.changes[index].isToMove = false
      guard let home = known.first(where: { $0.id == change.mailbox })?.folder,
        // After a run that was cut off the person may have put another folder there: it stays, and is none of its.
        let there = try folders.inode(of: home), change.inode == nil || change.inode == there
      else { continue }
      // Where that fails, what the server did is written down in any case.
      let isMoved =
        try !folders.holds(change.folder)
        && (try? folders.rename(home, to: change.folder)) != nil
      if !isMoved { rename.changes[index].folder = home }
    }
    return rename
  }

  /// Mailboxes whose folders lie elsewhere, or are called otherwise.
  func commit(
    _ changed: inout [MailboxRecord], and more: (StateTransaction) throws -> Void = { _ in }
  ) throws {
    var saved = changed
    try state.transaction { transaction in
      for index in saved.indices {
        saved[index].newModified = 0
        saved[index].curModified = 0
        try transaction.save(saved[index])
        try transaction.removeScan(of: saved[index].id)
      }
      try more(transaction)
    }
    changed = saved
    context.noteChange()
  }

  /// What an interrupted push was about is in the state now, where the server has done it, and forgotten where it has
  /// not: before folders are held against names, or the folder that the person gave the old name since, or gave it back
  /// to, would be taken for the mailbox's.
  @discardableResult func finish(_ listings: [MailboxListing]) throws -> [RenamedMailbox] {
    guard let rename = try state.renameUnderWay() else { return [] }
    let known = try state.mailboxes()
    guard let first = rename.changes.first,
      let record = known.first(where: { $0.id == first.mailbox }),
      let listing = record.listing(as: first.name, in: listings),
      record.listing(as: record.name, in: listings) == nil,
      !known.contains(where: { $0.name == first.name && !$0.isGone })
    else {
      try drop()
      return []
    }
    return try complete(rename, raw: listing.rawName)
  }
}

/// A mailbox that the server renamed, or renamed along.
struct RenamedMailbox {
  var before: MailboxRecord
  var after: MailboxRecord
}

extension MailboxRecord {
  /// The mailbox under this name, where that is not another's by now.
  fileprivate func listing(as name: String, in listings: [MailboxListing]) -> MailboxListing? {
    let name = MailboxName(name, delimiter: delimiter?.first)
    return listings.first {
      $0.name == name && $0.isSelectable && !isEstranged(from: $0.status)
    }
  }
}
