import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import SyncPlan

/// Makes stubs of whole messages: their large parts are the server's again, which is asked whether it has the message at
/// that very moment.
///
/// The record says that parts are leaving until it says that the file is a stub, so a run that dies in between is followed
/// by one that finds the file as it is.
struct StubMaking {
  let context: AccountContext
  let mailbox: MailboxRecord
  /// Larger parts leave.
  let limit: Int64
  private let writer: DeliveryWriter
  private var files: OnDemandFiles { OnDemandFiles(context: context) }
  private var id: MailboxKey { mailbox.id }

  init(context: AccountContext, mailbox: MailboxRecord, limit: Int64) {
    self.context = context
    self.mailbox = mailbox
    self.limit = limit
    writer = DeliveryWriter(policy: context.policy)
  }

  /// - Returns: how many messages are stubs now, of how many bytes, and why others are not.
  func run(_ records: [MessageRecord], _ remote: borrowing OpenMailbox) throws -> Outcome {
    var outcome = Outcome()
    let uids = UIDSet(records.map(\.uid).sorted())
    let structures = try remote.structures(of: uids)
    let existing = structures.count == uids.count ? uids : try remote.existing(uids)
    for record in records {
      try context.checkInterrupt()
      guard existing.contains(record.uid) else {
        outcome.problems.append(.expunged(record.fileName))
        continue
      }
      guard let structure = structures[record.uid],
        let plan = StubPlan(structure, size: record.serverSize, limit: limit)
      else {
        outcome.problems.append(.noParts(record.fileName))
        continue
      }
      do {
        if try make(
          record, .init(structure: structure, plan: plan, size: record.serverSize), remote)
        {
          outcome.messages += 1
          outcome.bytes += record.serverSize
        } else {
          outcome.problems.append(.noParts(record.fileName))
        }
      } catch let error as OnDemandError {
        outcome.problems.append(error)
      } catch MaildirError.vanished {
        outcome.problems.append(.fileChanged(record.fileName))
      }
    }
    return outcome
  }

  struct Outcome {
    var messages = 0
    var bytes: Int64 = 0
    var problems: [OnDemandError] = []
  }

  private func make(
    _ record: MessageRecord, _ expected: StubSink.Expected, _ remote: borrowing OpenMailbox
  ) throws -> Bool {
    let place = try files.place(of: record, in: id)
    guard !place.digest.isStub, place.digest.contentHash == record.contentHash else {
      throw OnDemandError.fileChanged(record.fileName)
    }
    var stub: (bytes: [UInt8], line: StubLine)?
    let sink = StubSink(expected: [record.uid: expected]) { bytes, line, message, _ in
      // RFC822.SIZE as it is now, and as it was: the message is there.
      if message.size == record.serverSize { stub = (bytes, line) }
    }
    var requests = [SectionRequest(expected.plan.sections, of: UIDSet([record.uid]))]
    try remote.fetch(sections: { requests.popLast() }, into: sink)
    guard let stub else { return false }
    var leaving = record
    leaving.traits.insert(.leavingParts)
    try files.put(leaving, in: id)
    try put(stub.bytes, stub.line, in: place, leaving)
    return true
  }

  private func put(
    _ stub: [UInt8], _ line: StubLine, in place: OnDemandFiles.Place, _ record: MessageRecord
  ) throws {
    let keywords = try files.keywords(at: place, of: record)
    writer.begin(in: place.local.folder, keywords: keywords, stub: line)
    try stub.withUnsafeBytes { bytes in try writer.write(bytes) }
    try files.replace(place, of: record, in: id, by: writer, keywords: keywords)
  }
}
