import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// What the server expunged, recorded durably. The files go at the end of the run, when what was moved on the server has
/// arrived at its new place.
struct ExpungedMessages {
  let mailbox: PulledMailbox

  func record(_ expunged: UIDSet) throws {
    var rest = expunged
    while !rest.isEmpty {
      let (some, others) = rest.splitNewest(1000)
      try recordAtOnce(some)
      rest = others
    }
  }

  private func recordAtOnce(_ expunged: UIDSet) throws {
    let known = try mailbox.state.messages(in: mailbox.id, expunged)
    let keepsFiles = mailbox.record.needsAdoption
    try mailbox.commit { transaction in
      for var record in known {
        if keepsFiles || record.name.isEmpty {
          try transaction.remove(record.uid, from: mailbox.id)
          // The server may have moved it: nothing is sent before every mailbox was looked into.
          if let file = UndecidedFile(of: record) {
            try transaction.addUndecided(file, to: mailbox.id)
          }
        } else {
          record.traits.insert(.expunged)
          try transaction.put(record, in: mailbox.id)
        }
      }
    }
    if keepsFiles { try reportKept(known) }
  }

  /// A tree that came back from a backup keeps what the server no longer has.
  private func reportKept(_ records: [MessageRecord]) throws {
    var present = 0
    for record in records where !record.isPruned {
      if try mailbox.local.file(of: record) != nil {
        present += 1
      }
    }
    if present > 0 { mailbox.report(PullNotice.onlyHere(present)) }
  }
}
