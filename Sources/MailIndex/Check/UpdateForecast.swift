import GRDB
import MailCore
import Maildir

/// What an update or a rebuild would do. Changes nothing.
package struct UpdateForecast: Sendable, Equatable {
  /// Files whose content would be read.
  package private(set) var read = 0
  /// Files that only got another name, place or flag.
  package private(set) var renamed = 0
  package private(set) var removedFiles = 0
  /// What would be left out, and why; files are not looked into.
  package private(set) var problems: [IndexProblem] = []

  /// - Throws: ``IndexError/noTree(root:)``, ``IndexError/busy(holder:)``.
  package static func of(_ mode: IndexUpdater.Mode, root: String, patience: Double = 10)
    throws(IndexError) -> UpdateForecast
  {
    let tree: MailTree
    do throws(MaildirError) {
      tree = try MailTree.read(root: root)
    } catch {
      throw .noTree(root: root)
    }
    var forecast = UpdateForecast()
    forecast.problems = tree.unreadable.map { IndexProblem(path: $0.path, error: $0.error) }
    guard mode != .rebuild, isUsable(root) else {
      for folder in tree.folders { forecast.count(folder.path, of: tree) }
      return forecast
    }
    let lock = try IndexLock(root: root, patience: patience)
    let store = try IndexStore.openAsItIs(root: root)
    defer { store.close() }
    try forecast.compare(tree, store, mode)
    withExtendedLifetime(lock) {}
    return forecast
  }

  /// An update makes anew what is missing, damaged or of another version.
  private static func isUsable(_ root: String) -> Bool {
    DamageMark.words(root: root) == nil && (try? IndexReader.open(root: root)) != nil
  }

  private mutating func count(_ path: FolderPath, of tree: MailTree) {
    let before = read
    do throws(MaildirError) {
      _ = try FolderEntries.read(try tree.open(path)) {
        read = before
      } _: { _, _, _ in
        read += 1
      }
    } catch {
      problems.append(IndexProblem(path: path.text, error: error))
    }
  }

  private mutating func compare(
    _ tree: MailTree, _ store: IndexStore, _ mode: IndexUpdater.Mode
  ) throws(IndexError) {
    let (folders, unknown, vanished) = try store.read { db in
      let folders = try FolderRows.existing(tree, db)
      let vanished = try folders.vanished.filter { path in
        !tree.unreadable.contains { path == $0.path || path.hasPrefix($0.path + "/") }
      }.compactMap {
        try Int64.fetchOne(db, sql: "SELECT id FROM mailbox WHERE path = ?", arguments: [$0])
      }
      return (folders.known, Set(folders.unknown), vanished)
    }
    var scan = TreeScan(in: tree.root + "/.mirror")
    for folder in folders { try scan.look(into: folder, of: tree, store, all: mode == .thorough) }
    for folder in tree.folders where unknown.contains(folder.path.text) {
      try scan.look(into: Self.newcomer(folder, folders), of: tree, store, all: true)
    }
    if mode == .thorough { try scan.addEdited(tree, store) }
    problems += scan.problems
    let renames = try store.read { try Renames(&scan, vanished: vanished, tree: tree, $0) }
    read = renames.unknown.count
    renamed = renames.renames.count
    removedFiles = renames.gone.count
  }

  /// A folder without a row, of an account that has one or not.
  private static func newcomer(_ folder: MailTree.Folder, _ known: [IndexedFolder]) -> IndexedFolder
  {
    IndexedFolder(
      mailbox: 0, account: known.first { $0.accountName == folder.account }?.account ?? 0,
      accountName: folder.account, path: folder.path, name: folder.name, isSent: false,
      met: folder.stamp, stamp: .none, sums: FolderSums())
  }
}
