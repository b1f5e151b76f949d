import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// The end of an adoption after the state was lost: files that by their names were this server's messages, under the
/// numbers that it still uses, and that it does not show. They are out of view until all mailboxes were looked into
/// (``GuessedMessages``).
struct HiddenFiles {
  let mailbox: PulledMailbox
  let uidNext: UInt32

  func record(among leftovers: FileMatcher) throws {
    // An edited draft keeps its name, and is another message on the server.
    guard mailbox.record.specialUse != SpecialUse.drafts.rawValue else { return }
    let recorded = try mailbox.state.uids(.known, in: mailbox.id)
    var hidden: [UID: MessageRecord] = [:]
    for file in leftovers.leftovers {
      guard let birth = BirthName(base: file.base), birth.isBorn(in: mailbox.name),
        birth.uidValidity.rawValue == mailbox.record.uidValidity, birth.uid.rawValue < uidNext,
        !recorded.contains(birth.uid), let digest = try mailbox.local.digest(of: file)
      else { continue }
      hidden[birth.uid] = try AdoptedFile(file: file, digest: digest, elsewhere: nil)
        .record(guessed: birth, in: mailbox)
    }
    guard !hidden.isEmpty else { return }
    try mailbox.commit { transaction in
      for record in hidden.values { try transaction.put(record, in: mailbox.id) }
    }
  }
}
