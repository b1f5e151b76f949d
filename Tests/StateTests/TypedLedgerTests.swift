import Foundation
import GRDB
import Ledger
import LedgerTestKit
import MailCore
import Testing

@testable import State

/// A state of the last program that kept its ledger in texts (`Tests/Fixtures/state/ledger-10.sql`) opens with nothing
/// lost.
struct TypedLedgerTests {
  /// - Parameter more: what else stands in it.
  private func old(_ more: String = "") throws -> String {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/state/ledger-10.sql")
    let path = directory.path + "/state.db"
    let queue = try DatabaseQueue(path: path)
    let sql = try String(contentsOf: fixture, encoding: .utf8)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql + more) }
    try queue.close()
    return path
  }

  private func store() throws -> StateStore { try StateStore(path: old(), durable: false) }

  @Test func `what is known of the account and of mailboxes`() throws {
    let store = try store()
    let account = try store.account()
    #expect(account.tree?.hasPrefix("1 11175611075755887106 16252851 ") == true)
    #expect(account.runs == 2 && account.generation == 1 && account.keywords == "header")
    #expect(account.server?.hasPrefix("Dovecot (Debian) ready.\nBINARY ") == true)
    #expect(account.namePrefix == "INBOX.\n#shared/")
    #expect(account.wholePull == 1_795_601_757 && account.adoptsNewMailboxes)
    let mailboxes = try store.mailboxes()
    #expect(mailboxes.map(\.id) == [2, 3, 1, 4, 5, 6])
    #expect(mailboxes.map(\.uidValidity).contains(1_795_601_757))
    #expect(try store.pushedSince(in: 1) == 1_795_601_769)
    #expect(try store.pushedSince(in: 3) == nil)
    #expect(try store.undecidedPulls(of: 2) == 2 && store.undecidedPulls(of: 1) == 0)
    #expect(try store.unlinking(in: 1) == UIDSet(2...3) && store.unlinking(in: 2).isEmpty)
    #expect(try store.lastRun()?.kind == "push")
    #expect(try store.failures().map(\.uid) == [nil, 3])
    #expect(try store.failures().map(\.others) == [0, 4])
    #expect(try store.surplus(in: 2).count == 1 && store.carriedDeletions(since: 0).count == 1)
    #expect(try store.pushScans().count == 4 && store.folderIdentities().count == 6)
    #expect(try store.uids(.outOfView, in: 1) == UIDSet([UID(3)]))
  }

  @Test func `two holds of one mailbox both hold`() throws {
    let store = try StateStore(
      path: old("INSERT INTO pushRefusal VALUES (2, 'held many 3 100', 1, 9, '20:22');"),
      durable: false)
    let hold = try #require(try store.deletionHolds().first { $0.mailbox == 2 })
    #expect(hold.uids == UIDSet(ranges: [4...4, 6...9, 20...22]) && hold.count == 63)
  }

  @Test func `rows of a mailbox that is gone from the state go, too`() throws {
    let store = try StateStore(
      path: old("PRAGMA foreign_keys = OFF; DELETE FROM mailbox WHERE id = 3;"), durable: false)
    #expect(try !store.mailboxes().contains { $0.id == 3 })
    #expect(try !store.deletionHolds().contains { $0.mailbox == 3 })
  }

  @Test func `what is noted of a mailbox stays when its record is saved`() throws {
    let store = try store()
    var inbox = try #require(try store.mailboxes().first { $0.id == 1 })
    inbox.exists += 1
    try store.save(inbox)
    #expect(try store.unlinking(in: 1) == UIDSet(2...3))
    try store.transaction { transaction in
      try transaction.setPushed(at: 5, in: 1)
      try transaction.setPushed(at: 5, in: 3)
      try transaction.setUnlinking(UIDSet(), in: 1)
      try transaction.setUndecidedPulls(0, of: 2)
    }
    #expect(try store.pushedSince(in: 1) == 1_795_601_769 && store.pushedSince(in: 3) == 5)
    #expect(try store.unlinking(in: 1).isEmpty && store.undecidedPulls(of: 2) == 0)
    try store.transaction { try $0.forgetPushed(in: 1) }
    #expect(try store.pushedSince(in: 1) == nil)
  }

  @Test func `a rename and a folder's move that were under way`() throws {
    let store = try store()
    var child = MailboxRename.Change(mailbox: 3, name: "Job/Old/Æ", folder: "Drafts")
    (child.isToMove, child.inode) = (true, 16_252_803)
    let rename = MailboxRename(changes: [
      MailboxRename.Change(mailbox: 2, name: "Job/Old", folder: "Job/Old"), child,
    ])
    #expect(try store.renameUnderWay() == rename)
    let spam = MailboxRecord(
      id: 4, name: "Spam", rawName: [83, 38, 255, 5], delimiter: "/", folder: "Spam")
    var relocation = FolderRelocation(
      of: spam, from: "Junk", inode: 16_252_802,
      with: [
        FolderRelocation.Companion(mailbox: 6, home: "Junk/b", inode: 9, stays: false),
        FolderRelocation.Companion(mailbox: 5, home: "Junk/a", inode: 8, stays: true),
      ])
    relocation.isMerging = true
    #expect(try store.relocationUnderWay() == relocation)
    try store.transaction { transaction in
      try transaction.setRename(nil)
      try transaction.setRelocation(nil)
    }
    #expect(try store.renameUnderWay() == nil && store.relocationUnderWay() == nil)
    try store.transaction { transaction in
      try transaction.setRename(rename)
      try transaction.setRelocation(relocation)
    }
    #expect(try store.renameUnderWay() == rename && store.relocationUnderWay() == relocation)
  }

  @Test func `steps under way`() throws {
    func source(_ mailbox: MailboxKey, _ uid: UInt32, _ hashes: (Int64, Int64)) -> PushStep.Source {
      PushStep.Source(
        mailbox: mailbox, uid: UID(uid), uidValidity: 1_795_601_757 + UInt32(mailbox.rawValue - 1),
        headerHash: HeaderHash(UInt64(bitPattern: hashes.0)),
        contentHash: ContentHash(UInt64(bitPattern: hashes.1)))
    }
    let expected: [(PushStep.Stage, PushStep.Source?)] = [
      (.append, nil), (.append, source(2, 1, (11, -12))),
      (.appended(at: nil, time: 1_795_601_800), nil), (.appended(at: UID(.max), time: 0), nil),
      (.move, source(1, 2, (21, 22))), (.copy, source(1, 3, (0, 0))),
      (.unconfirmed, source(1, 3, (-31, 32))), (.copied(at: UID(77)), source(1, 3, (41, 42))),
    ]
    let steps = try store().pushSteps()
    #expect(steps.map(\.stage) == expected.map(\.0))
    #expect(steps.map(\.source) == expected.map(\.1))
    for (index, step) in steps.enumerated() {
      #expect(step.number == UInt32(index + 1) && step.target == 2)
      #expect(step.uidValidity == 1_795_601_758 && step.uidNext == 3)
      #expect(step.record.name == Array("file\(index + 1)".utf8))
      #expect(
        step.record.agreed.keywords == ["a", "b"] && step.record.headerHash == HeaderHash(.max))
      #expect(
        step.record.contentHash == ContentHash(UInt64(index + 1)) && step.record.serverSize == 120)
    }
  }

  @Test func `refusals and deletions held back`() throws {
    let store = try store()
    let refusals = try store.pushRefusals()
    let subjects: [RefusalSubject] = [
      .mailbox, .marks, .uploads, .deletions, .labels, .moves(to: 3), .rename("Job/Old  one"),
      .create("Job"), .upload(ContentHash(.max)), .edit(UID(17), contentHash: 0x5f3a),
      .flag("\\seen"),
      .keyword("$junk x"), .lost(UID(.max)), .tries(.marks), .tries(.moves(to: 3)),
      .tries(.rename("a b")),
    ]
    #expect(Set(refusals.filter { $0.mailbox == 1 }.map(\.subject)) == Set(subjects))
    #expect(refusals.count == subjects.count + 1)
    #expect(refusals.first { $0.subject == .moves(to: 3) }?.attempts == 2)
    #expect(refusals.first { $0.subject == .upload(ContentHash(.max)) }?.reason == "quota")
    #expect(refusals.allSatisfy { $0.lastAttempt == 9 })
    #expect(
      try store.deletionHolds() == [
        DeletionHold(
          mailbox: 2, cause: .half, count: 60, total: 100,
          uids: UIDSet(ranges: [4...4, 6...9])),
        DeletionHold(mailbox: 3, cause: .folder, count: 2, total: 2, uids: nil),
      ])
  }

  /// What its JSON said could not be read by the programs that wrote it, either.
  @Test func `a damaged entry of the journal keeps no state from being opened`() throws {
    let path = try old()
    let queue = try DatabaseQueue(path: path)
    try queue.write {
      try $0.execute(
        sql: """
          UPDATE fact SET value = '{"changes"' WHERE name = 'renaming';
          UPDATE fact SET value = '{"mailbox":4,"companions":[{}]}' WHERE name = 'relocating';
          """)
    }
    try queue.close()
    let store = try StateStore(path: path, durable: false)
    #expect(try store.renameUnderWay() == nil && store.relocationUnderWay() == nil)
    #expect(try store.pushSteps().count == 8)
  }

  @Test func `an older program does not misread what a newer one wrote`() throws {
    let path = try old()
    try StateStore(path: path, durable: false).shut()
    let queue = try DatabaseQueue(path: path)
    // As seen by the program of the fixture: there are migrations that it does not know.
    let newer = try queue.read {
      try Set(String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations"))
    }
    #expect(newer.count > 10)
    try queue.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('1000: of a later program')")
    }
    try queue.close()
    #expect(throws: StateError.fromTheFuture) { try StateStore(path: path, durable: false) }
    #expect(throws: StateError.fromTheFuture) {
      try StateStore(path: path, durable: false, readOnly: true)
    }
    #expect(throws: StateError.fromTheFuture) { try StateStore(rehearsing: path) }
  }

  @Test func `what a connection was lost over is known by a column`() throws {
    let path = try old()
    let queue = try DatabaseQueue(path: path)
    try queue.write {
      try $0.execute(
        sql: "UPDATE failure SET reason = 'the connection was lost each time it was asked for' "
          + "WHERE uid = 3")
    }
    try queue.close()
    let failures = try StateStore(path: path, durable: false).failures()
    #expect(failures.filter(\.isCut).map(\.uid) == [3])
    #expect(failures.contains { !$0.isCut })
  }
}
