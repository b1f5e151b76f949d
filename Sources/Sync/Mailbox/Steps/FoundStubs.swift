import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Stubs that were found in a tree, and not written into it as the ledger knows: a person may have written into one before.
///
/// Until the lengths of its parts are those that the server tells, such a file counts as one that differs from its message:
/// no window and no expunged message takes it away.
struct FoundStubs {
  let mailbox: PulledMailbox
  private static let messagesAtOnce = 300

  func compare(_ remote: borrowing OpenMailbox) throws {
    guard try !mailbox.context.isRehearsal && mailbox.state.hasOnDemand(.stub) else { return }
    let found = try mailbox.state.messages(
      in: mailbox.id, mailbox.state.uids(.differing, in: mailbox.id)
    ).filter(\.isStub)
    for records in found.pieces(of: Self.messagesAtOnce) {
      try mailbox.context.checkInterrupt()
      let structures = try remote.structures(of: UIDSet(records.map(\.uid).sorted()))
      var equal: [MessageRecord] = []
      for var record in records {
        guard let structure = structures[record.uid], let stub = try content(of: record),
          StubShape.isWritten(stub, of: structure)
        else { continue }
        record.traits.remove(.differs)
        equal.append(record)
      }
      if !equal.isEmpty { try mailbox.save(equal) }
    }
  }

  /// As a server would send it; nil where it is not as the ledger has it.
  private func content(of record: MessageRecord) throws -> [UInt8]? {
    do {
      let place = try OnDemandFiles(context: mailbox.context).place(of: record, in: mailbox.id)
      guard place.digest.contentHash == record.contentHash else { return nil }
      var bytes: [UInt8] = []
      try place.local.folder.readServerBytes(
        of: place.file, asCame: place.digest.asCame, policy: mailbox.policy
      ) { bytes.append(contentsOf: $0) }
      return bytes
    } catch is OnDemandError {
      return nil
    } catch let error as MaildirError where !error.stopsRun {
      return nil  // It went away, or cannot be read.
    }
  }
}
