import Ledger
import LocalChanges
import MailCore
import Maildir
import State

/// One mailbox's folder at the end of a run, with what the steps of the clean-up have in common.
struct CleanedFolder {
  let context: AccountContext
  let mailbox: MailboxRecord
  let local: LocalFolder

  init?(context: AccountContext, mailbox: MailboxRecord) throws {
    guard let local = try context.folders.local(ofMailbox: mailbox.id) else { return nil }
    (self.context, self.mailbox, self.local) = (context, mailbox, local)
  }

  /// The records of these UIDs, a bounded number at a time.
  func inBatches(_ uids: UIDSet, _ body: ([MessageRecord]) throws -> Void) throws {
    var rest = uids
    while !rest.isEmpty {
      try context.checkInterrupt()
      let (some, others) = rest.splitNewest(1000)
      try body(context.state.messages(in: mailbox.id, some))
      rest = others
    }
  }

  /// Whether its file is there, also one that a reader is giving other names.
  func isThere(_ record: MessageRecord) throws -> Bool {
    local.forgetScan()
    return try local.file(of: record) != nil
  }

  /// Whether the file may be that of a message which is still there: moved here by a person, or its copy. It stays then,
  /// and the next push tells what it is.
  func mayBeAnothers(_ file: MessageFile, _ content: ContentHash) throws -> Bool {
    let likes = try context.state.copies(ofContent: content)
    // No more of them are told.
    guard likes.count < 20 else { return true }
    let gone = Set(try context.state.mailboxes().filter(\.isGone).map(\.id))
    return try likes.contains { other, like in
      // With its mailbox the server deleted it, and a file that was moved from there since has become another message.
      guard !gone.contains(other) else { return false }
      return try like.stem == file.stem || context.folders.file(of: like, in: other) == nil
    }
  }

  func forget(_ records: [MessageRecord]) throws {
    try context.write { transaction in
      for record in records { try transaction.remove(record.uid, from: mailbox.id) }
    }
  }

  func write(_ records: [MessageRecord], _ change: (inout MessageRecord) -> Void) throws {
    try context.write { transaction in
      for var record in records {
        change(&record)
        try transaction.put(record, in: mailbox.id)
      }
    }
  }
}

/// What became of the file of a message that the server expunged.
enum ExpungedFate {
  case gone
  /// As a local message, or as the message that came of it elsewhere.
  case stays
  /// For a run that visits all mailboxes.
  case waits
}
