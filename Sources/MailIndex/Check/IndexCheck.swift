import GRDB
import MailCore
import Maildir

/// Looks whether an index is sound in itself and agrees with the tree. Changes nothing, but leaves a
/// ``DamageMark`` where it is not sound, for the next update to obey.
package struct IndexCheck: Sendable {
  package let root: String
  /// Seconds to wait for a run that is under way.
  package var patience: Double = 10

  package struct Report: Sendable, Equatable {
    package internal(set) var messages = 0
    package internal(set) var files = 0
    /// What contradicts itself: `mirror-index rebuild` mends it.
    package internal(set) var faults: [String] = []
    /// Files that the tree has and the index not, or the other way: an update mends it.
    package internal(set) var isBehind: [String] = []

    /// What the tree has and no update brings in, and why.
    package internal(set) var leftOut: [IndexProblem] = []

    /// What is no mail at all needs no index.
    package var isSound: Bool {
      faults.isEmpty && isBehind.isEmpty && leftOut.allSatisfy { !$0.isMail }
    }
  }

  package init(root: String) { self.root = root }

  /// - Throws: ``IndexError/missing(root:)``, ``IndexError/busy(holder:)``, ``IndexError/otherVersion``;
  ///   damage is a fault in the report where the index can be opened at all.
  package func run() throws(IndexError) -> Report {
    IndexStore.tune()
    _ = try IndexReader.open(root: root)
    let lock = try IndexLock(root: root, patience: patience)
    let store = try IndexStore.openAsItIs(root: root)
    defer { store.close() }
    var report = Report()
    do throws(IndexError) {
      try checkShape(store, &report)
      try checkDatabase(store, &report)
      if try store.read(Interruption.init).isAny {
        report.isBehind.append("a run was cut short before it was done")
      } else {
        try checkRows(store, &report)
      }
      try checkTree(store, &report)
    } catch {
      guard case .damaged(let words) = error else { throw error }
      report.faults.append(words)
    }
    if let fault = report.faults.first { DamageMark.leave(root: root, fault) }
    withExtendedLifetime(lock) {}
    return report
  }

  private func checkDatabase(_ store: IndexStore, _ report: inout Report) throws(IndexError) {
    let lines = try store.read { try String.fetchAll($0, sql: "PRAGMA integrity_check(20)") }
    report.faults += lines.filter { $0 != "ok" }
    do {
      try store.queue.write {
        try $0.execute(sql: "INSERT INTO message_text(message_text) VALUES('integrity-check')")
      }
    } catch {
      let error = IndexError(error)
      guard case .damaged(let words) = error else { throw error }
      report.faults.append("the search text is damaged: \(words.visible)")
    }
  }

  private func checkShape(_ store: IndexStore, _ report: inout Report) throws(IndexError) {
    let differences = try store.read(IndexShape.differences)
    report.faults += differences.map(\.words)
    // Nothing can be asked of tables that are not there.
    if let table = differences.first(where: { !$0.isView }) {
      report.faults.removeAll { $0 == table.words }
      throw .damaged(table.words)
    }
  }

  private func checkRows(_ store: IndexStore, _ report: inout Report) throws(IndexError) {
    let (messages, files, faults) = try store.read { db in
      var faults: [String] = []
      for (sql, words) in Self.contradictions {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM (\(sql))") ?? 0
        if count > 0 { faults.append("\(count) × \(words)") }
      }
      if try !FolderCount.isRight(db) { faults.append("a folder whose counts are wrong") }
      faults += try FileCheck(db: db).faults()
      faults += try ThreadCheck(db).faults()
      return (
        try Int.fetchOne(db, sql: "SELECT count(*) FROM message") ?? 0,
        try Int.fetchOne(db, sql: "SELECT count(*) FROM file") ?? 0, faults
      )
    }
    report.messages = messages
    report.files = files
    report.faults += faults
  }

  private func checkTree(_ store: IndexStore, _ report: inout Report) throws(IndexError) {
    let tree: MailTree
    do throws(MaildirError) {
      tree = try MailTree.read(root: root)
    } catch {
      throw .noTree(root: root)
    }
    report.leftOut += tree.unreadable.map { IndexProblem(path: $0.path, error: $0.error) }
    let folders = try store.read { try FolderRows.existing(tree, $0) }
    var scan = TreeScan(in: root + "/.mirror")
    for folder in folders.known { try scan.look(into: folder, of: tree, store, all: true) }
    report.leftOut += scan.problems
    try scan.addEdited(tree, store)
    let most = 20
    report.isBehind += folders.unknown.map { "the folder \($0) is not in the index" }
    report.isBehind += folders.vanished.map { "the folder \($0) is gone" }
    let missing = try withoutForeign(&scan, tree, &report)
    for found in missing.prefix(most) {
      let path = scan.folders[Int(found.folder)].folder.path.text
      let file = found.file.description
      report.isBehind.append(
        found.replaces == 0 ? "\(path)/\(file) is not in the index" : "\(path)/\(file) has changed")
    }
    let more = max(0, missing.count - most) + scan.gone.count
    if more > 0 { report.isBehind.append("\(more) more files are new, changed or gone") }
  }

  /// New files but those that no update can bring in.
  private func withoutForeign(
    _ scan: inout TreeScan, _ tree: MailTree, _ report: inout Report
  ) throws(IndexError) -> [NewFile] {
    var folders = OpenFolders(tree)
    var missing: [NewFile] = []
    let list = try scan.takeFound()
    while let found = try list.next() {
      let path = scan.folders[Int(found.folder)].folder.path
      let file = found.file
      if let folder = try? folders.folder(found.folder, path),
        let error = FolderEntries.foreign(file, in: folder)
      {
        report.leftOut.append(IndexProblem(path: path.text + "/" + file.description, error: error))
      } else {
        missing.append(found)
      }
    }
    return missing
  }
}
