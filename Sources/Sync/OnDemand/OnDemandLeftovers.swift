import Foundation
import Ledger
import MailCore
import Maildir
import SyncPlan

/// What runs that were cut off left of fills and of their reverse.
struct OnDemandLeftovers {
  let context: AccountContext

  /// Files that were to become stubs are such by now, or are not: the record follows the file.
  func settle() throws {
    let files = OnDemandFiles(context: context)
    for (mailbox, record) in try context.state.onDemand(.leavingParts) {
      do {
        let place = try files.place(of: record, in: mailbox)
        guard place.digest.isStub, record.isHeld(by: place.digest) else {
          try keepWhole(record, in: mailbox)
          continue
        }
        try files.commit(
          record, in: mailbox, as: place.file, place.digest, size: place.seen.size,
          keywords: files.keywords(at: place, of: record))
      } catch is OnDemandError {
        try keepWhole(record, in: mailbox)
      }
    }
  }

  private func keepWhole(_ record: MessageRecord, in mailbox: MailboxKey) throws {
    var record = record
    record.traits.remove(.leavingParts)
    try OnDemandFiles(context: context).put(record, in: mailbox)
  }

  /// Pieces of messages that are no longer wanted.
  func removeParts() throws {
    let directory = context.tree.control.path + "/parts"
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory),
      !names.isEmpty
    else { return }
    let mailboxes = try context.state.mailboxes().byKey
    let wanted = Set(
      try context.state.onDemand(.wanted).compactMap { mailbox, record in
        mailboxes[mailbox].map { MessageFilling.partName(record.uid, in: $0) }
      })
    for name in names where !wanted.contains(name) {
      try? FileManager.default.removeItem(atPath: directory + "/" + name)
    }
  }
}
