import Foundation
import GRDB
import Ledger
import LedgerTestKit
import MailCore
import Testing

@testable import State

struct StateStoreTests {
  private func path() -> String {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory.appendingPathComponent("state.db").path
  }

  /// SQLite's FULL: each commit is synced, though the making of the tables was not.
  @Test func `what is written to a new state is synced, as in one that was there`() throws {
    let path = path()
    for _ in 0..<2 {
      let store = try StateStore(path: path, durable: true)
      let level = try store.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
      #expect(level == 2)
      _ = try? mailbox(store)
      store.shut()
    }
  }

  private func mailbox(_ store: StateStore, _ name: String = "INBOX") throws -> MailboxKey {
    try store.addMailbox(
      name: name, rawName: [0xFF, 0x26, 0x41], delimiter: "/", folder: "\(name)"
    ).id
  }

  private func message(_ uid: UInt32, name: String = "1.x") -> MessageRecord {
    var record = MessageRecord(
      uid: UID(uid), name: Array(name.utf8) + [0xFE],
      agreed: MessageMarks(flags: [.seen, .forwarded], keywords: ["b", "Ä ö", "a"]),
      unappliedRemote: MessageMarks(flags: .flagged), headerHash: HeaderHash(.max),
      contentHash: ContentHash(1 << 63),
      size: 12,
      internalDate: -5, traits: [.keptAsItCame, .adopted], identity: "M1")
    record.nativeLabels = ["own"]
    record.serverSize = 1 << 40
    return record
  }

  @Test func `a record comes back as it went in`() throws {
    let path = path()
    let store = try StateStore(path: path, durable: true)
    let id = try mailbox(store)
    try store.transaction { try $0.put(message(7), in: id) }
    store.shut()
    let again = try StateStore(path: path, durable: true)
    #expect(try again.message(in: id, UID(7)) == message(7))
    #expect(try again.mailboxes().first?.rawName == [0xFF, 0x26, 0x41])
    #expect(try again.copies(of: "M1").map(\.mailbox) == [id])
  }

  @Test func `stubs, and what is wanted of them, are found by themselves`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    func put(_ uid: UInt32, _ traits: MessageRecord.Traits) throws {
      var record = message(uid, name: "\(uid)")
      record.traits = traits
      record.serverSize = 100
      try store.transaction { try $0.put(record, in: id) }
    }
    try put(1, [])
    try put(2, [.stub, .adopted])
    try put(3, [.stub, .wanted])
    try put(4, [.filled])
    try put(5, [.stub, .expunged])
    try put(6, [.leavingParts, .filled])
    #expect(try store.onDemand(.stub).map(\.message.uid.rawValue) == [2, 3])
    #expect(try store.onDemand([.filled, .wanted]).map(\.message.uid.rawValue) == [3, 4, 6])
    #expect(try store.hasOnDemand(.leavingParts) && store.hasOnDemandWork())
    let counts = try store.onDemandCounts()
    #expect(counts.stubs == 2 && counts.bytes == 200)
    #expect(counts.wanted == 1 && counts.wantedBytes == 100)
  }

  @Test func `keywords with line feeds come back as they went in`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    var record = message(1)
    record.nativeLabels = ["a\nb", "c\u{1B}n", "\r\nd", "e"]
    try store.transaction { try $0.put(record, in: id) }
    #expect(try store.message(in: id, UID(1))?.nativeLabels == record.nativeLabels)
  }

  @Test func `keywords that an older program wrote with a raw ESC are read as they were`() throws {
    let stored = Array("a\u{1B}[1m\nb\u{1B}\nc".utf8)
    #expect(Keywords(stored: stored) == ["a\u{1B}[1m", "b\u{1B}", "c"])
  }

  @Test func `date and size of what a window left out are filled in once`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    var kept = message(1)
    kept.internalDate = 0
    let pruned = MessageRecord(uid: UID(2), name: [], agreed: MessageMarks(), traits: .pruned)
    try store.transaction {
      try $0.put(kept, in: id)
      try $0.put(pruned, in: id)
    }
    #expect(try store.hasUndated(in: id))
    try store.transaction {
      for uid in [1, 2] { try $0.fillIn(date: 0, size: 7, of: UID(UInt32(uid)), in: id) }
    }
    #expect(try !store.hasUndated(in: id))
    #expect(try store.message(in: id, UID(1)) == kept)
    #expect(try store.message(in: id, UID(2))?.serverSize == 7)
  }

  @Test func `messages are found by their content without reading all`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    try store.transaction { try $0.put(message(7), in: id) }
    #expect(try store.copies(ofContent: ContentHash(1 << 63)).map(\.message) == [message(7)])
    #expect(try store.copies(ofContent: 5).isEmpty)
    #expect(try store.hasContentIndex())
  }

  @Test func `an older program's state is read as it is, and rehearsed upon`() throws {
    let path = path()
    let old = try StateStore(path: path, durable: false)
    let id = try mailbox(old)
    try old.transaction { try $0.put(message(7), in: id) }
    try old.write {
      try $0.execute(
        sql: "DROP TABLE surplus; DELETE FROM grdb_migrations "
          + "WHERE identifier LIKE '2:%' OR identifier LIKE '21:%'")
    }
    old.shut()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    for store in [
      try StateStore(path: path, durable: false, readOnly: true), try StateStore(rehearsing: path),
    ] {
      #expect(try store.message(in: id, UID(7)) == message(7))
      #expect(try store.surplus(in: id).isEmpty)
      store.shut()
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    let new = try StateStore(path: path, durable: false)
    #expect(try new.surplus(in: id).isEmpty)
  }

  @Test func `what a revert held back as a deletion is known as being reverted`() throws {
    let path = path()
    let old = try StateStore(path: path, durable: false)
    let id = try mailbox(old)
    try old.transaction { transaction in
      for uid in 6...8 { try transaction.put(message(UInt32(uid)), in: id) }
    }
    try old.write {
      try $0.execute(
        sql: """
          DROP INDEX messageReverted; DELETE FROM grdb_migrations WHERE identifier LIKE '22:%';
          INSERT INTO deletionHold VALUES (\(id), 'reverted', 2, 2, '6,8', 5);
          """)
    }
    old.shut()
    let new = try StateStore(path: path, durable: false)
    #expect(try new.beingReverted()[id]?.map(\.uid) == [UID(6), UID(8)])
    #expect(try new.deletionHolds().isEmpty)
    try new.transaction { try $0.setReverted(false, UIDSet([UID(6)]), in: id) }
    #expect(try new.beingReverted()[id]?.map(\.uid) == [UID(8)])
    #expect(try new.message(in: id, UID(6)) == message(6))
  }

  /// Earlier programs could not tell whether it had been moved, and marked the message.
  @Test func `a mailbox with a message that was found elsewhere is matched anew`() throws {
    let path = path()
    let old = try StateStore(path: path, durable: false)
    let ids = [try mailbox(old), try mailbox(old, "Work")]
    try old.transaction { transaction in
      for id in ids { try transaction.put(message(7), in: id) }
    }
    try old.write {
      try $0.execute(
        sql: """
          CREATE INDEX messageFoundElsewhere ON message(mailbox) WHERE traits & 32768;
          UPDATE message SET traits = traits | 32768 WHERE mailbox = \(ids[0]);
          DELETE FROM grdb_migrations WHERE identifier LIKE '27:%';
          """)
    }
    old.shut()
    let new = try StateStore(path: path, durable: false)
    #expect(try new.mailboxes().filter(\.needsAdoption).map(\.id) == [ids[0]])
    for id in ids { #expect(try new.message(in: id, UID(7)) == message(7)) }
  }

  @Test func `surplus files are known by name until they become messages`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    let files = [
      SurplusFile(nameHash: 1, contentHash: 9),
      SurplusFile(nameHash: NameHash(.max), contentHash: ContentHash(.max)),
    ]
    try store.transaction { try $0.setSurplus(files.reversed(), of: id) }
    #expect(try store.surplus(in: id) == files)
    try store.transaction { try $0.removeSurplus(nameHash: 1, from: id) }
    #expect(try store.surplus(in: id) == [files[1]])
  }

  @Test func `undecided files are surplus until they are decided`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    let files = (1...3).map { SurplusFile(nameHash: NameHash($0), contentHash: 9) }
    let undecided = [
      UndecidedFile(files[1], .here), UndecidedFile(files[2], .elsewhere),
    ]
    try store.transaction { transaction in
      try transaction.setSurplus([files[0]], undecided: [undecided[0]], of: id)
      try transaction.addUndecided(undecided[1], to: id)
    }
    #expect(try store.surplus(in: id) == files)
    #expect(try Set(store.undecidedFiles(in: id)) == Set(undecided))
    #expect(try store.undecidedFiles() == [id: 2])
    var decision = SurplusDecision()
    decision.surplus = [files[2]]
    try store.transaction { try $0.decide(decision, of: id) }
    #expect(try store.surplus(in: id) == [files[0], files[2]])
    #expect(try store.undecidedFiles().isEmpty)
  }

  @Test func `what is only not shown stays surplus, until more is shown`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    let files = (1...3).map { SurplusFile(nameHash: NameHash($0), contentHash: 9) }
    try store.transaction { transaction in
      try transaction.setSurplus(
        [files[0]], undecided: files[1...].map { UndecidedFile($0, .elsewhere) }, of: id)
    }
    var decision = SurplusDecision()
    decision.outOfView = [files[1]]
    decision.waiting = [UndecidedFile(files[2], .here)]
    try store.transaction { try $0.decide(decision, of: id) }
    #expect(try store.surplus(in: id) == files)
    #expect(try store.surplusOutOfView(in: id) == [2])
    #expect(try store.undecidedFiles(in: id) == decision.waiting)
    try store.transaction { try $0.undecideSurplusOutOfView(of: id) }
    #expect(try store.surplusOutOfView(in: id).isEmpty)
    #expect(try store.undecidedFiles() == [id: 2])
  }

  @Test func `a rehearsal leaves the state as it is`() throws {
    let path = path()
    let store = try StateStore(path: path, durable: false)
    let id = try mailbox(store)
    try store.transaction { try $0.put(message(7), in: id) }
    store.shut()
    let copy = try StateStore(rehearsing: path)
    try copy.transaction { try $0.remove(UID(7), from: id) }
    #expect(try copy.messageCount(.known, in: id) == 0)
    copy.shut()
    #expect(try StateStore(path: path, durable: false).messageCount(.known, in: id) == 1)
  }

  @Test func `a transaction that throws leaves nothing`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    #expect(throws: StateError.self) {
      try store.transaction { transaction in
        try transaction.put(message(1), in: id)
        throw CancellationError()
      }
    }
    #expect(try store.messageCount(.known, in: id) == 0)
  }

  @Test func `opening a second time writes nothing`() throws {
    let path = path()
    let store = try StateStore(path: path, durable: true)
    _ = try mailbox(store)
    store.shut()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let again = try StateStore(path: path, durable: true)
    _ = try again.mailboxes()
    again.shut()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func `a folder that would lie outside the account is damage`() throws {
    let store = try StateStore(path: path(), durable: false)
    _ = try mailbox(store)
    try store.write { try $0.execute(sql: "UPDATE mailbox SET folder = '../x'") }
    #expect(throws: StateError.damaged("a folder called “../x”")) { try store.mailboxes() }
  }

  @Test(arguments: [0.3, 0.7, 0.99]) func `a torn database is noticed`(share: Double) throws {
    let path = path()
    let store = try StateStore(path: path, durable: false)
    let id = try mailbox(store)
    try store.transaction { transaction in
      for uid in 1...2000 { try transaction.put(message(UInt32(uid)), in: id) }
    }
    store.shut()
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try whole.prefix(Int(Double(whole.count) * share)).write(to: URL(fileURLWithPath: path))
    #expect {
      _ = try StateStore(path: path, durable: false)
    } throws: { error in
      if case StateError.damaged = error { true } else { false }
    }
  }

  @Test func `the backup is whole and alone`() throws {
    let path = path()
    let store = try StateStore(path: path, durable: true)
    let id = try mailbox(store)
    try store.transaction { try $0.put(message(3), in: id) }
    try store.backUp(to: path + ".backup", durable: true)
    let copy = try StateStore(path: path + ".backup", durable: false, readOnly: true)
    #expect(try copy.message(in: id, UID(3)) == message(3))
    #expect(!FileManager.default.fileExists(atPath: path + ".backup-wal"))
  }

  @Test func `orphans wait beyond the UIDs, over several renumberings`() throws {
    let store = try StateStore(path: path(), durable: false)
    let id = try mailbox(store)
    for round in 0..<3 {
      try store.transaction { transaction in
        try transaction.put(message(UInt32.max), in: id)
        try transaction.put(message(1), in: id)
        try transaction.orphanAll(of: id)
      }
      #expect(try store.uids(.known, in: id).isEmpty)
      #expect(try store.orphans(in: id).count == 2 * (round + 1))
    }
    // Their old numbers may be other messages' now.
    try store.transaction { try $0.put(message(2), in: id) }
    var named: [UID?] = []
    try store.forEachName(in: id) { uid, _ in named.append(uid) }
    #expect(named == [UID(2)] + Array(repeating: nil, count: 6))
    let orphan = try #require(try store.orphans(in: id).first)
    #expect(try store.orphan(orphan.key, in: id)?.agreed == message(1).agreed)
    try store.transaction { try $0.removeOrphans(of: id) }
    #expect(try store.orphans(in: id).isEmpty)
  }

  @Test func `readers of another process do not wait for a writer`() throws {
    let path = path()
    let store = try StateStore(path: path, durable: false)
    let id = try mailbox(store)
    try store.transaction { transaction in
      try transaction.put(message(1), in: id)
      let reader = try StateStore(path: path, durable: false, readOnly: true)
      #expect(try reader.messageCount(.known, in: id) == 0)
    }
  }

  @Test func `a look at all pages finds what opening does not, in its time`() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.path + "/state.db"
    let store = try StateStore(path: path, durable: false)
    for number in 0..<500 {
      _ = try store.addMailbox(
        name: "\(number)", rawName: [], delimiter: nil,
        folder: "\(String(repeating: "x", count: 300))")
    }
    #expect(try StateStore.look(at: path, seconds: 10) == .sound, "while it is open, too")
    store.shut()
    #expect(try StateStore.look(at: path, seconds: 10) == .sound)
    #expect(try StateStore.look(at: path, seconds: 0) == .unfinished)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["state.db"])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let page = Int(bytes[16]) << 8 | Int(bytes[17])
    let middle = bytes.count / page / 2 * page
    bytes.replaceSubrange(middle..<middle + page, with: Data(repeating: 0xA5, count: page))
    try bytes.write(to: URL(fileURLWithPath: path))
    _ = try StateStore(path: path, durable: false, readOnly: true)
    let torn = try StateStore.look(at: path, seconds: 10)
    try bytes.prefix(page * 2).write(to: URL(fileURLWithPath: path))
    let short = try StateStore.look(at: path, seconds: 10)
    for found in [torn, short] {
      guard case .damaged = found else {
        Issue.record("\(found)")
        continue
      }
    }
  }
}
