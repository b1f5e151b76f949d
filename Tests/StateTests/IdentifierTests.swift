import Foundation
import GRDB
import Ledger
import LedgerTestKit
import MailCore
import Testing

@testable import State

/// Keys of mailboxes, and hashes, as the tables keep them.
struct IdentifierTests {
  private func store() throws -> StateStore {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    return try StateStore(path: path.path, durable: false)
  }

  private func add(
    _ name: String, to store: StateStore,
    _ complete: (inout MailboxRecord) throws -> Void = { _ in }
  ) throws -> MailboxRecord {
    try store.addMailbox(
      name: name, rawName: Array(name.utf8), delimiter: "/", folder: "\(name)", complete)
  }

  @Test func `each mailbox gets a key of its own, and its whole record with it`() throws {
    let store = try store()
    let first = try add("a", to: store) { $0.needsAdoption = true }
    let second = try add("b", to: store)
    #expect(first.id != second.id && first.needsAdoption)
    #expect(try store.mailboxes() == [first, second])
    #expect(throws: (any Error).self) { try add("c", to: store) { _ in throw CancellationError() } }
    #expect(try store.mailboxes() == [first, second])
    #expect(try add("d", to: store).id > second.id)
  }

  @Test func `in the tables they are the numbers that they were before they had types`() throws {
    let store = try store()
    let mailbox = try add("a", to: store).id
    let record = MessageRecord(
      uid: UID(1), name: [65], agreed: MessageMarks(), headerHash: HeaderHash(.max),
      contentHash: ContentHash(1 << 63))
    let file = SurplusFile(nameHash: NameHash(.max - 1), contentHash: .unknown)
    try store.transaction { transaction in
      try transaction.put(record, in: mailbox)
      try transaction.addSurplus(file, to: mailbox)
      try transaction.put(
        PushRefusal(
          mailbox: mailbox, subject: .edit(UID(1), contentHash: ContentHash(.max)), attempts: 1,
          lastAttempt: 1, reason: ""))
    }
    func numbers(_ sql: String) throws -> [Int64] {
      let row = try store.read { try Row.fetchOne($0, sql: sql) }
      return try #require(row).databaseValues.compactMap { Int64.fromDatabaseValue($0) }
    }
    #expect(try numbers("SELECT mailbox, headerHash, contentHash FROM message") == [1, -1, .min])
    #expect(try numbers("SELECT mailbox, nameHash, contentHash FROM surplus") == [1, -2, 0])
    #expect(try numbers("SELECT mailbox, contentHash FROM pushRefusal") == [1, -1])
    #expect(try store.message(in: mailbox, UID(1)) == record)
    #expect(try store.surplus(in: mailbox) == [file])
  }
}
