import GRDB
import MailCore
import Maildir

/// Accounts and folders: the tree's beside the index's.
struct FolderRows {
  /// In the order of the tree.
  private(set) var folders: [IndexedFolder] = []
  /// Folders that the tree has no more.
  private(set) var vanished: [Int64] = []

  /// Gives every folder of the tree its row. What lies below a directory that cannot be read is taken
  /// to be there still.
  init(_ tree: MailTree, roles: ToldRoles = ToldRoles(), _ db: Database) throws {
    let accounts = try Self.accounts(tree, db)
    var known = try KnownFolders(db)
    for folder in tree.folders {
      guard let account = accounts[folder.account] else { continue }
      let row = known.remove(folder.path.text)
      let isSent = SentFolder.isOne(folder.name)
      let told = roles.role(
        of: folder.path.text, named: folder.name, account: folder.account)
      // What was told once is remembered: not every run hears from the servers.
      let role =
        told ?? (row?.name == folder.name ? row?.role : MailboxRole.named(folder.name))
      let id = try row?.id ?? Self.insert(folder, account, isSent, role, db)
      if let row, row.name != folder.name || row.isSent != isSent || row.role != role {
        try db.execute(
          sql: "UPDATE mailbox SET name = ?, is_sent = ?, role = ? WHERE id = ?",
          arguments: [folder.name, isSent, role, row.id])
      }
      folders.append(
        IndexedFolder(
          mailbox: id, account: account, accountName: folder.account, path: folder.path,
          name: folder.name, isSent: isSent, met: folder.stamp, stamp: row?.stamp ?? .none,
          sums: row?.sums ?? FolderSums()))
    }
    vanished = known.rest.filter { folder in
      !tree.unreadable.contains { folder.path == $0.path || folder.path.hasPrefix($0.path + "/") }
    }.map(\.id)
  }

  private static func accounts(_ tree: MailTree, _ db: Database) throws -> [String: Int64] {
    var known = try accounts(in: db)
    for account in tree.accounts where known[account.name] == nil {
      try db.execute(
        sql: "INSERT INTO account(name, path) VALUES (?, ?)",
        arguments: [account.name, account.name])
      known[account.name] = db.lastInsertedRowID
    }
    return known
  }

  private static func insert(
    _ folder: MailTree.Folder, _ account: Int64, _ isSent: Bool, _ role: String?, _ db: Database
  ) throws -> Int64 {
    try db.execute(
      sql: "INSERT INTO mailbox(account, name, path, is_sent, role) VALUES (?, ?, ?, ?, ?)",
      arguments: [account, folder.name, folder.path.text, isSent, role])
    return db.lastInsertedRowID
  }

  /// Files: a millisecond or so.
  private static let longScan = 2_000

  /// Remembers when folders were read, now that all they held is in the index. Where a file could not
  /// be read that another time may be, the folder is looked into again.
  static func remember(_ scan: TreeScan, _ problems: [IndexProblem], _ db: Database) throws {
    let again = problems.filter(\.mayPass).map(\.path)
    // That a folder has come to rest is no reason to write (promise 10), unless it takes long to look into.
    let isQuiet = !scan.hasFound && scan.gone.isEmpty && scan.filesSeen <= longScan
    for (folder, stamp) in scan.folders {
      guard let stamp, !again.contains(where: { $0.hasPrefix(folder.path.text) }) else {
        // What was remembered of another directory tells nothing of the rows that are there now.
        if folder.stamp.isNewSettled || folder.stamp.isCurSettled {
          try db.execute(
            sql: "UPDATE mailbox SET settled = 0 WHERE id = ?", arguments: [folder.mailbox])
        }
        continue
      }
      guard isQuiet ? !stamp.matches(folder.stamp) : stamp != folder.stamp else { continue }
      try db.execute(
        sql: """
          UPDATE mailbox SET new_modified = ?, cur_modified = ?, new_inode = ?, cur_inode = ?, settled = ?
          WHERE id = ?
          """,
        arguments: [
          stamp.newModified, stamp.curModified, stamp.newInode, stamp.curInode,
          (stamp.isNewSettled ? 1 : 0) + (stamp.isCurSettled ? 2 : 0), folder.mailbox,
        ])
    }
  }

  /// Folders without files that the tree has no more, and accounts without folders.
  static func prune(_ vanished: [Int64], _ db: Database) throws {
    for mailbox in vanished {
      try db.execute(
        sql: """
          DELETE FROM mailbox
          WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE mailbox = ?1)
          """, arguments: [mailbox])
    }
  }
}

extension FolderRows {
  /// The folders of the tree that have rows, without making any; paths of those that have none, and
  /// of rows without a folder.
  static func existing(_ tree: MailTree, _ db: Database) throws -> (
    known: [IndexedFolder], unknown: [String], vanished: [String]
  ) {
    let accounts = try accounts(in: db)
    var rows = try KnownFolders(db)
    var found: [IndexedFolder] = []
    var unknown: [String] = []
    for folder in tree.folders {
      if let row = rows.remove(folder.path.text),
        let account = accounts[folder.account]
      {
        found.append(
          IndexedFolder(
            mailbox: row.id, account: account, accountName: folder.account, path: folder.path,
            name: folder.name, isSent: row.isSent, met: folder.stamp, stamp: row.stamp,
            sums: row.sums))
      } else {
        unknown.append(folder.path.text)
      }
    }
    return (found, unknown, rows.rest.map(\.path).sorted())
  }

  private static func accounts(in db: Database) throws -> [String: Int64] {
    var known: [String: Int64] = [:]
    try RowStatement(db, "SELECT name, id FROM account").forEachRow {
      known[$0.text(0)] = $0.number(1)
    }
    return known
  }
}
