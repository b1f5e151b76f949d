import Foundation
import GRDB
import Testing

@testable import MailIndex

/// A tree of mail of its own, and its index.
final class IndexLab {
  let root: String
  private var clock = 1_600_000_000

  init() throws {
    root =
      (FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory())
      + "/mail-index-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func makeFolder(_ path: String) throws {
    for name in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: "\(root)/\(path)/\(name)", withIntermediateDirectories: true)
    }
  }

  /// Writes a message file; the folder is made where it is missing. `file` is `cur/name:2,S` or so.
  func put(_ folder: String, _ file: String, _ text: String) throws {
    if !FileManager.default.fileExists(atPath: "\(root)/\(folder)/cur") { try makeFolder(folder) }
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/\(folder)/\(file)"))
  }

  func move(_ from: String, to: String) throws {
    try FileManager.default.moveItem(atPath: "\(root)/\(from)", toPath: "\(root)/\(to)")
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: "\(root)/\(path)")
  }

  /// A message like people write them.
  func mail(
    _ id: String, subject: String = "Tea", from: String = "Alice <alice@example.org>",
    to: String = "Bob <bob@example.org>", day: Int = 1, replyTo: String? = nil,
    extra: String = "", body: String = "Shall we have tea?"
  ) -> String {
    """
    Received: by mx.example with ESMTP id \(UInt32.random(in: 0 ..< .max)); Thu, 1 Jan 2026 00:00:00 +0000
    From: \(from)
    To: \(to)
    Subject: \(subject)
    Date: \(day) Jan 2024 10:00:00 +0000
    Message-ID: <\(id)@example.org>
    \(replyTo.map { "In-Reply-To: <\($0)@example.org>\n" } ?? "")\(extra)MIME-Version: 1.0

    \(body)

    """
  }

  @discardableResult
  func update(
    _ mode: IndexUpdater.Mode = .update, bulkFrom: Int? = nil, enoughSegments: Int? = nil
  ) throws -> IndexSummary {
    var updater = IndexUpdater(root: root)
    updater.threads = 2
    if let bulkFrom { updater.bulkFrom = bulkFrom }
    if let enoughSegments { updater.enoughSegments = enoughSegments }
    // A change in the same tick of the clock is told by a stamp that is not settled.
    let summary = try updater.run(mode)
    #expect(try number("SELECT count(*) FROM messages") == summary.messages)
    return summary
  }

  /// As if the first build had been cut short: the next update goes on with it, in the bulk way.
  func reopenBuild() throws {
    let store = try IndexStore.open(root: root, rebuild: false)
    defer { store.close() }
    try store.write { try IndexStore.setFact(BulkAdditions.underWayFact, 1, $0) }
  }

  func read<T>(_ body: (Database) throws -> T) throws -> T {
    try IndexReader.open(root: root).read(body)
  }

  func strings(_ sql: String) throws -> [String] {
    try read { try String.fetchAll($0, sql: sql) }
  }

  func number(_ sql: String) throws -> Int? { try read { try Int.fetchOne($0, sql: sql) } }

  /// Everything that an index says of the tree, without the numbers that depend on the order of
  /// arrival.
  func portrait() throws -> [String] {
    try strings(
      """
      SELECT 'message ' || m.account || ' ' || ifnull(m.message_id, '') || ' ' || m.date || ' ' || m.sender
        || ' ' || m.recipients || ' ' || m.subject || ' ' || m.size || ' ' || m.attachment_count
        || ' ' || m.is_unread || m.is_flagged || m.is_replied || m.is_draft || m.is_trashed
        FROM messages AS m
      UNION ALL
      SELECT 'keyword ' || m.message_id || ' ' || k.keyword FROM keywords AS k
        JOIN messages AS m ON m.id = k.message
      UNION ALL
      SELECT 'file ' || f.path || ' ' || f.flags || ' ' || f.mailbox || ' ' || m.message_id
      FROM files AS f JOIN messages AS m ON m.id = f.message
      UNION ALL
      SELECT 'thread ' || (SELECT group_concat(x, ',') FROM
        (SELECT message_id AS x FROM messages WHERE thread_id = t.id ORDER BY 1))
        || t.message_count || ' ' || t.unread_count || ' ' || t.subject FROM threads AS t
      UNION ALL
      SELECT 'parent ' || m.message_id || ' ' || p.message_id || ' ' || m.parent_source
      FROM messages AS m JOIN messages AS p ON p.id = m.parent_id
      UNION ALL
      SELECT 'mailbox ' || name || ' ' || total || ' ' || unread FROM mailboxes
      UNION ALL
      SELECT 'address ' || address || ' ' || name || ' ' || sent_count || ' ' || received_count
      FROM addresses
      UNION ALL
      SELECT 'attachment ' || m.message_id || ' ' || a.section || ' ' || ifnull(a.file_name, '')
      FROM attachments AS a JOIN messages AS m ON m.id = a.message
      """
    ).sorted()
  }

  /// Message-IDs that hold the words.
  func found(_ match: String) throws -> [String] {
    try read {
      try String.fetchAll(
        $0,
        sql: """
          SELECT m.message_id FROM message_text AS t JOIN messages AS m ON m.id = t.rowid
          WHERE message_text MATCH ? ORDER BY 1
          """, arguments: [match])
    }
  }

  func expectSound(_ location: SourceLocation = #_sourceLocation) throws {
    let report = try IndexCheck(root: root).run()
    #expect(report.faults == [], sourceLocation: location)
    #expect(report.isBehind == [], sourceLocation: location)
  }
}

extension IndexSummary {
  var changedNothing: Bool { reset == nil && read == 0 && renamed == 0 && removedFiles == 0 }
}
