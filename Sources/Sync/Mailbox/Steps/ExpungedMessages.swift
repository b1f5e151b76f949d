import Ledger
import LocalChanges
import MailCore
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
    var known: [MessageRecord] = []
    for range in expunged.ranges {
      known += try mailbox.state.messages(in: mailbox.id, range)
    }
    // A tree that came back from a backup keeps what the server no longer has.
    let keepsFiles = mailbox.record.needsAdoption
    let kept = keepsFiles ? try uids(ofPresent: known) : []
    try mailbox.commit { transaction in
      for var record in known {
        if record.name.isEmpty || keepsFiles && !kept.contains(record.uid) {
          try transaction.remove(record.uid, from: mailbox.id)
        } else {
          record.traits.formUnion(keepsFiles ? [.outOfView, .guessed] : .expunged)
          try transaction.put(record, in: mailbox.id)
        }
      }
    }
  }

  private func uids(ofPresent records: [MessageRecord]) throws -> Set<UID> {
    Set(
      try records.filter { record in
        try !record.isPruned && !record.name.isEmpty
          && mailbox.local.locate(record.name, lastFlags: record.agreed.flags) != nil
      }.map(\.uid))
  }
}
