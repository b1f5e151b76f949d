import Foundation
import Ledger
import LedgerTestKit
import MailCore
import Testing

@testable import State

/// What a push remembers between its runs.
struct PushStateTests {
  private func store() throws -> (StateStore, MailboxKey, MailboxKey) {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let store = try StateStore(path: directory.path + "/state.db", durable: false)
    var ids: [MailboxKey] = []
    for name in ["INBOX", "Work"] {
      ids.append(
        try store.addMailbox(
          name: name, rawName: Array(name.utf8), delimiter: "/", folder: "\(name)"
        ).id)
    }
    return (store, ids[0], ids[1])
  }

  private func message(_ uid: UInt32, _ traits: MessageRecord.Traits = []) -> MessageRecord {
    MessageRecord(
      uid: UID(uid), name: traits.isEmpty ? Array("\(uid).x".utf8) : [], agreed: MessageMarks(),
      headerHash: HeaderHash(UInt64(uid)), traits: traits)
  }

  private func step(
    _ number: UInt32, _ stage: PushStep.Stage, to target: MailboxKey, from source: MailboxKey?
  ) -> PushStep {
    PushStep(
      number: number, stage: stage, target: target, record: message(number),
      source: source.map {
        PushStep.Source(
          mailbox: $0, uid: UID(number), uidValidity: 9, headerHash: HeaderHash(.max),
          contentHash: ContentHash(1 << 63))
      }, uidValidity: .max, uidNext: 4)
  }

  @Test(arguments: [
    PushStep.Stage.append, .appended(at: nil, time: 0), .appended(at: UID(.max), time: 1 << 40),
    .move, .copy, .unconfirmed, .copied(at: UID(5)),
  ]) func `a step comes back as it went in`(stage: PushStep.Stage) throws {
    let (store, inbox, work) = try store()
    let steps = [
      step(7, stage, to: work, from: inbox), step(8, stage, to: inbox, from: nil),
    ]
    try store.transaction { for step in steps.reversed() { try $0.put(step) } }
    #expect(try store.pushSteps() == steps)
    try store.transaction { try $0.removeStep(7) }
    #expect(try store.pushSteps() == [steps[1]])
  }

  private func scan(_ mailbox: MailboxKey) -> PushScan {
    PushScan(
      mailbox: mailbox, newModified: 1, curModified: 2, newInode: 3, curInode: 4, scanned: 5,
      compared: 6)
  }

  @Test func `a scan ends with a change to what it was held against, and with no other`() throws {
    let (store, inbox, work) = try store()
    try store.transaction { try $0.put(message(1), in: inbox) }
    func ended(by change: (StateTransaction) throws -> Void) throws -> Set<MailboxKey> {
      try store.transaction { for mailbox in [inbox, work] { try $0.put(scan(mailbox)) } }
      try store.transaction(change)
      return Set([inbox, work]).subtracting(try store.pushScans().map(\.mailbox))
    }
    #expect(try ended { try $0.put(message(2), in: inbox) } == [inbox])
    #expect(try ended { try $0.put(message(2), in: inbox) } == [inbox])
    #expect(try ended { try $0.db.execute(sql: "UPDATE message SET serverSize = 7") } == [])
    #expect(try ended { try $0.db.execute(sql: "UPDATE message SET flags = 1") } == [inbox])
    let moving = "UPDATE message SET mailbox = \(work.rawValue) WHERE uid = 2"
    #expect(try ended { try $0.db.execute(sql: moving) } == [inbox, work])
    #expect(try ended { try $0.db.execute(sql: "DELETE FROM message WHERE uid = 2") } == [work])
    #expect(try ended { _ in } == [])
    let later = try ended { transaction in
      try transaction.put(message(3), in: inbox)
      try transaction.put(message(4), in: work)
      try transaction.put(scan(work))
      try transaction.put(scan(inbox))
      try transaction.put(message(5), in: inbox)
    }
    #expect(later == [inbox])
  }

  @Test func `a renumbering ends the steps that were to expunge there`() throws {
    let (store, inbox, work) = try store()
    var record = try #require(try store.mailboxes().first { $0.id == inbox })
    record.uidValidity = 9
    try store.save(record)
    try store.transaction { transaction in
      try transaction.put(step(1, .copied(at: UID(5)), to: work, from: inbox))
      try transaction.put(step(2, .copy, to: inbox, from: work))
      try transaction.put(step(3, .append, to: inbox, from: nil))
      try transaction.put(step(7, .move, to: work, from: inbox))
      try transaction.put(message(1, [.pruned, .leaving]), in: inbox)
      try transaction.put(message(4, [.pruned, .leaving]), in: inbox)
      try transaction.put(message(5, .pruned), in: inbox)
      try transaction.put(message(6), in: inbox)
      for subject in [
        RefusalSubject.lost(UID(6)), .edit(UID(6), contentHash: 255), .mailbox, .keyword("x"),
      ] {
        try transaction.put(
          PushRefusal(
            mailbox: inbox, subject: subject, attempts: 1, lastAttempt: 0, reason: ""))
      }
      try transaction.orphanAll(of: inbox)
    }
    #expect(try store.pushSteps().map(\.number) == [2, 3, 7])
    // What a step hid comes back, what is marked for good stays hidden, what a window left out is forgotten.
    #expect(try store.orphans(in: inbox).map(\.headerHash).sorted() == [4, 6])
    #expect(try store.orphans(in: inbox).first { $0.headerHash == 4 }?.isLeaving == true)
    #expect(try store.pushRefusals().map(\.subject) == [.keyword("x"), .mailbox])
  }

  @Test(arguments: [
    RefusalSubject.mailbox, .marks, .uploads, .deletions, .labels, .moves(to: 3),
    .rename("Job/Old  one"), .create("Job"), .upload(ContentHash(1 << 63)),
    .edit(UID(17), contentHash: 0x5f3a),
    .flag("\\seen"), .keyword("$Junk"), .lost(UID(.max)), .tries(.marks), .tries(.moves(to: 3)),
  ]) func `what a refusal is about comes back as it went in`(subject: RefusalSubject) throws {
    let (store, inbox, work) = try store()
    var refusal = PushRefusal(
      mailbox: inbox, subject: subject, attempts: 2, lastAttempt: 1, reason: "no",
      obstacle: .room)
    let others = [
      PushRefusal(mailbox: work, subject: subject, attempts: 1, lastAttempt: 1, reason: ""),
      PushRefusal(
        mailbox: work, subject: .create("a b"), attempts: 1, lastAttempt: 1, reason: ""),
    ]
    try store.transaction { transaction in
      for one in [refusal] + others { try transaction.put(one) }
      refusal.attempts = 3
      try transaction.put(refusal)
    }
    #expect(try store.pushRefusals().first == refusal)
    #expect(try store.pushRefusals().count == 3)
    try store.transaction { try $0.removeRefusal(mailbox: inbox, subject: subject) }
    #expect(try store.pushRefusals().allSatisfy { others.contains($0) })
    #expect(try store.pushRefusals().count == 2)
  }

  @Test func `deletions held back come back as they went in, one set of each mailbox`() throws {
    let (store, inbox, work) = try store()
    var hold = DeletionHold(
      mailbox: inbox, cause: .half, count: 60, total: 100,
      uids: UIDSet([UID(1), UID(2), UID(3), UID(9), UID(.max)]))
    let other = DeletionHold(mailbox: work, cause: .folder, count: 2, total: 2, uids: nil)
    try store.transaction { transaction in
      try transaction.put(other, at: 5)
      try transaction.put(hold, at: 5)
    }
    #expect(try store.deletionHolds() == [hold, other])
    #expect(try store.pushRefusals().isEmpty)
    hold.cause = .many
    hold.uids = UIDSet([UID(4)])
    try store.transaction { try $0.put(hold, at: 6) }
    #expect(try store.deletionHolds() == [hold, other])
    try store.transaction { try $0.removeHold(of: work) }
    #expect(try store.deletionHolds() == [hold])
  }

  @Test(arguments: [CarriedDeletions.Way.toServer, .toTree])
  func `deletions of a day are kept for a day, and with their numbers only`(
    way: CarriedDeletions.Way
  ) throws {
    let (store, inbox, work) = try store()
    func deletions(_ mailbox: MailboxKey, _ time: Int64, _ uids: ClosedRange<UInt32>) throws
      -> CarriedDeletions
    {
      let record = try #require(try store.mailboxes().first { $0.id == mailbox })
      return CarriedDeletions(
        mailbox: mailbox, time: time, uidValidity: record.uidValidity, uidNext: 50, size: 40,
        uids: UIDSet(uids))
    }
    let (first, second, other) = (
      try deletions(inbox, 10, 1...2), try deletions(inbox, 20, 3...4),
      try deletions(work, 20, 3...4)
    )
    for one in [first, second, other, try deletions(inbox, 20, 5...5)] {
      try store.transaction { try $0.add(one, way, forgettingBefore: 5) }
    }
    var whole = second
    whole.uids = UIDSet(3...5)
    #expect(try store.carriedDeletions(way, since: 5) == [first, whole, other])
    #expect(try store.carriedDeletions(way, since: 10) == [whole, other])
    try store.transaction { try $0.add(other, way, forgettingBefore: 15) }
    #expect(try store.carriedDeletions(way, since: 0) == [whole, other])
    var record = try #require(try store.mailboxes().first { $0.id == inbox })
    record.uidValidity += 1
    try store.save(record)
    #expect(try store.carriedDeletions(way, since: 0) == [other])
    for other in [CarriedDeletions.Way.toServer, .toTree] where other != way {
      #expect(try store.carriedDeletions(other, since: 0) == [])
    }
    try store.transaction { try $0.forgetCarriedDeletions(way) }
    #expect(try store.carriedDeletions(way, since: 0) == [])
  }

  @Test func `a renumbering lets go of nothing that was held back`() throws {
    let (store, inbox, _) = try store()
    let hold = DeletionHold(
      mailbox: inbox, cause: .half, count: 60, total: 100, uids: UIDSet([UID(1)]))
    try store.transaction { transaction in
      try transaction.put(hold, at: 5)
      try transaction.orphanAll(of: inbox)
    }
    let held = try #require(try store.deletionHolds().first)
    #expect(held.uids == nil && held.holds(UID(77)) && held.count == 60)
  }

  @Test(arguments: ["", "1:2", "4,6:9", "x", "3:1", "1,,2", "1-2", "*"])
  func `a list of UIDs that cannot be read holds everything`(text: String) throws {
    let hold = try #require(
      DeletionHold(
        row: ["mailbox": 1, "cause": "half", "count": 60, "total": 100, "uids": text]))
    let known = ["1:2": UIDSet(1...2), "4,6:9": UIDSet(ranges: [4...4, 6...9])]
    // Gaps between commas are none.
    #expect(hold.uids == (text == "1,,2" ? UIDSet(1...2) : known[text]))
  }

  @Test func `no window brings back what is leaving`() throws {
    let (store, inbox, _) = try store()
    try store.transaction { transaction in
      try transaction.put(message(1, [.pruned, .leaving]), in: inbox)
      try transaction.put(message(2, .pruned), in: inbox)
    }
    #expect(try store.uids(.pruned, in: inbox) == UIDSet([UID(2)]))
    #expect(try store.uids(.known, in: inbox) == UIDSet([UID(1), UID(2)]))
  }
}
