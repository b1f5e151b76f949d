import MailCore
import Maildir
import State

/// A mailbox is renamed on the server first and in the state then.
extension AccountContext {
  /// The server did it: folders that the person left behind follow, and the state knows.
  ///
  /// - Parameter raw: the mailbox's new name as the server spells it.
  /// - Returns: the mailbox itself, then those below it.
  func complete(_ rename: MailboxRename, raw: [UInt8]) throws -> [RenamedMailbox] {
    let known = try state.mailboxes()
    try moveFolders(rename, of: known)
    let ids = Set(rename.changes.map(\.mailbox))
    let before = known.filter { $0.id.map(ids.contains) ?? false }
    let old = before.first { $0.id == rename.changes.first?.mailbox }?.rawName ?? []
    var after = try rename.applied(to: before, holds: holdsFolder)
    for index in after.indices {
      after[index].rawName = raw + after[index].rawName.dropFirst(old.count)
    }
    let names = Set(after.map(\.name))
    try stepAside(known.filter { !before.contains($0) && names.contains($0.name) })
    try commit(&after)
    return zip(before, after).map { RenamedMailbox(before: $0, after: $1) }
  }

  /// The server has them no longer: it would not have given their names to others.
  private func stepAside(_ records: [MailboxRecord]) throws {
    for var record in records {
      record.isGone = true
      record.name += " (deleted \(record.id ?? 0))"
      try state.save(&record)
    }
  }

  private func moveFolders(_ rename: MailboxRename, of known: [MailboxRecord]) throws {
    for change in rename.changes where change.isToMove {
      guard let home = try known.first(where: { $0.id == change.mailbox })?.folderPath(),
        let place = FolderPath(text: change.folder),
        try !holdsFolder(place) && holdsFolder(home)
      else { continue }
      // Where that fails, what the server did is written down in any case.
      try? renameFolder(home, to: place)
    }
  }

  /// Mailboxes whose folders lie elsewhere, or are called otherwise.
  func commit(_ changed: inout [MailboxRecord]) throws {
    var saved = changed
    try state.transaction { transaction in
      for index in saved.indices {
        saved[index].newModified = 0
        saved[index].curModified = 0
        try transaction.save(&saved[index])
        if let id = saved[index].id { try transaction.removeScan(of: id) }
      }
    }
    changed = saved
    noteChange()
  }
}

/// A mailbox that the server renamed, or renamed along.
struct RenamedMailbox {
  var before: MailboxRecord
  var after: MailboxRecord
}
