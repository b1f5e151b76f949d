import Foundation
import IMAPWire
import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// A mailbox is renamed on the server first and in the state then. What is about to be done is written down before, so
/// that a run cut off in between leaves word of it: what a person does to the folders since could not be understood
/// without.
extension AccountContext {
  /// Writes down what is about to be asked for.
  ///
  /// - Returns: the same with the directories that are to move.
  func beginRename(_ rename: MailboxRename) throws -> MailboxRename {
    var rename = rename
    let known = try state.mailboxes()
    for (place, change) in rename.changes.enumerated() where change.isToMove {
      let home = try known.first { $0.id == change.mailbox }?.folderPath()
      rename.changes[place].inode = try home.flatMap(inode(of:))
    }
    let words = String(decoding: try JSONEncoder().encode(rename), as: UTF8.self)
    try state.setFact(Fact.renaming, words)
    noteChange()
    return rename
  }

  /// The server did not do it.
  func dropRename() throws {
    try state.removeFact(Fact.renaming)
    noteChange()
  }

  /// The server did it: folders that the person left behind follow, and the state knows.
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
    var after = try rename.applied(to: before, holds: holdsFolder)
    for index in after.indices {
      after[index].rawName = raw + after[index].rawName.dropFirst(old.count)
    }
    try commit(&after) { try $0.removeFact(Fact.renaming) }
    return zip(before, after).map { RenamedMailbox(before: $0, after: $1) }
  }

  /// Mailboxes that have the new names: the server has them no longer, or it would not have given their names to others.
  private func makeRoom(for rename: MailboxRename, among others: [MailboxRecord]) throws {
    let names = Set(rename.changes.map(\.name))
    let places = Set(
      rename.changes.filter { !$0.isToMove }.compactMap { FolderPath(text: $0.folder) })
    for var record in others where names.contains(record.name) {
      let home = try record.folderPath()
      if try !places.contains(home) && holdsFolder(home) {
        try MailboxRenaming(context: self).clear(record.mailboxName)
      } else {
        // Nothing but the renamed one's folder can lie there.
        try retire(&record)
        try state.save(&record)
      }
    }
  }

  /// The server no longer has it, and its name and place are another's: it gets some of its own.
  func retire(_ record: inout MailboxRecord) throws {
    let layout = Maildir.FolderLayout(style: policy.layout, traits: try tree.traits())
    record.isGone = true
    record.specialUse = nil
    record.name = try unusedName("\(record.name) (deleted \(record.id ?? 0))")
    record.folder =
      layout.path(of: MailboxName(record.name, delimiter: record.delimiter?.first)).text
  }

  /// The name, with a number behind it where a mailbox is called so: behind a run that was cut off, a push may have made
  /// one of the folder that had stepped aside.
  func unusedName(_ name: String) throws -> String {
    let known = Set(try state.mailboxes().map(\.name))
    var (free, number) = (name, 2)
    while known.contains(free) {
      free = "\(name) \(number)"
      number += 1
    }
    return free
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
      guard let home = try known.first(where: { $0.id == change.mailbox })?.folderPath(),
        let place = FolderPath(text: change.folder),
        // Behind a run that was cut off the person may have put another folder there: it stays, and is none of its.
        let there = try inode(of: home), change.inode == nil || change.inode == there
      else { continue }
      // Where that fails, what the server did is written down in any case.
      let isMoved = try !holdsFolder(place) && (try? renameFolder(home, to: place)) != nil
      if !isMoved { rename.changes[index].folder = home.text }
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
        try transaction.save(&saved[index])
        if let id = saved[index].id { try transaction.removeScan(of: id) }
      }
      try more(transaction)
    }
    changed = saved
    noteChange()
  }

  /// What an interrupted push was about is in the state now, where the server has done it, and forgotten where it has
  /// not: before folders are held against names, or the folder that the person gave the old name since, or gave it back
  /// to, would be taken for the mailbox's.
  @discardableResult func settleRename(_ listings: [MailboxListing]) throws -> [RenamedMailbox] {
    guard try state.fact(Fact.renaming) != nil else { return [] }
    let known = try state.mailboxes()
    guard let rename = try MailboxRename(in: state), let first = rename.changes.first,
      let record = known.first(where: { $0.id == first.mailbox }),
      let listing = record.listing(as: first.name, in: listings),
      record.listing(as: record.name, in: listings) == nil,
      !known.contains(where: { $0.name == first.name && !$0.isGone })
    else {
      try dropRename()
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

extension MailboxRename {
  /// What an interrupted push left.
  init?(in state: StateStore) throws {
    guard let words = try state.fact(Fact.renaming),
      let rename = try? JSONDecoder().decode(Self.self, from: Data(words.utf8))
    else { return nil }
    self = rename
  }
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
