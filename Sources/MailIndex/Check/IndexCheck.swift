import GRDB
import MailCore
import Maildir

/// Looks whether an index is sound in itself and agrees with the tree. Changes nothing.
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

    package var isSound: Bool { faults.isEmpty && isBehind.isEmpty }
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
      try checkDatabase(store, &report)
      try checkRows(store, &report)
      try checkTree(store, &report)
    } catch {
      guard case .damaged(let words) = error else { throw error }
      report.faults.append(words)
    }
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
      report.faults.append("the search text is damaged: \(IndexError(error))")
    }
  }

  private func checkRows(_ store: IndexStore, _ report: inout Report) throws(IndexError) {
    let (messages, files, faults) = try store.read { db in
      var faults: [String] = []
      for (sql, words) in Self.contradictions {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM (\(sql))") ?? 0
        if count > 0 { faults.append("\(count) × \(words)") }
      }
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
    let folders = try store.read { try FolderRows.existing(tree, $0) }
    var scan = TreeScan()
    for folder in folders.known { try scan.look(into: folder, of: tree, store, all: true) }
    try scan.addEdited(tree, store)
    let most = 20
    report.isBehind += folders.unknown.map { "the folder \($0) is not in the index" }
    report.isBehind += folders.vanished.map { "the folder \($0) is gone" }
    for found in scan.found.prefix(most) {
      let path = scan.folders[Int(found.folder)].folder.path.text
      let file = found.file(scan.names).description
      report.isBehind.append(
        found.replaces == 0 ? "\(path)/\(file) is not in the index" : "\(path)/\(file) has changed")
    }
    let more = max(0, scan.found.count - most) + scan.gone.count
    if more > 0 { report.isBehind.append("\(more) more files are new, changed or gone") }
  }

  /// Each selects rows that should not be.
  private static let contradictions: [(sql: String, words: String)] = [
    (
      "SELECT 1 FROM file WHERE message NOT IN (SELECT id FROM message)",
      "a file without its message"
    ),
    (
      "SELECT 1 FROM message WHERE id NOT IN (SELECT message FROM file)",
      "a message without a file"
    ),
    (
      "SELECT 1 FROM message WHERE id NOT IN (SELECT id FROM message_text_docsize)",
      "a message without search text"
    ),
    (
      """
      SELECT 1 FROM message_text_docsize
      WHERE id NOT IN (SELECT id FROM message) AND id NOT IN (SELECT id FROM dead)
      """, "search text without its message"
    ),
    (
      """
      SELECT m.id FROM message AS m JOIN file AS f ON f.message = m.id GROUP BY m.id
      HAVING m.flags <> (max(f.flags & 1) | max(f.flags & 2) | max(f.flags & 4) | max(f.flags & 8)
        | min(f.flags & 16) | max(f.flags & 32))
      """, "a message whose flags are not its files'"
    ),
    (
      """
      SELECT 1 FROM mailbox AS b WHERE total <> (SELECT count(*) FROM file WHERE mailbox = b.id)
        OR unread <> (SELECT count(*) FROM file WHERE mailbox = b.id AND NOT flags & 1)
      """, "a folder whose counts are wrong"
    ),
    (
      """
      SELECT 1 FROM thread AS t WHERE count <> (SELECT count(*) FROM message WHERE thread = t.id)
        OR unread <> (SELECT count(*) FROM message WHERE thread = t.id AND NOT flags & 1)
        OR latest <> (SELECT max(date) FROM message WHERE thread = t.id)
      """, "a thread whose counts are wrong"
    ),
    (
      "SELECT 1 FROM message WHERE thread IS NULL OR thread NOT IN (SELECT id FROM thread)",
      "a message without its thread"
    ),
    (
      """
      SELECT 1 FROM message AS m
      WHERE attachments <> (SELECT count(*) FROM attachment WHERE message = m.id)
      """, "a message whose attachments are not as many as it says"
    ),
  ]
}
