import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// What came of an identity that messages of other mailboxes share.
enum LinkOutcome {
  /// It lies in another folder, and is staged for this one.
  case staged(StagedMessage, MessageRecord)
  /// Another folder may have it: the header tells.
  case needsHeader
  /// No other folder has it, or can give it.
  case absent
}

extension MailboxPull {
  func holdsElsewhere(_ identity: String) throws -> Bool {
    try context.state.copies(ofEmailID: identity).contains { $0.mailbox != mailboxID }
  }

  /// A message that lies in another folder already, staged for this one: a hard link where nothing differs, else a copy.
  ///
  /// The identity is the server's word, and servers err: what is not downloaded is never seen. So the size and the header
  /// must be those of the message that is here.
  ///
  /// - Parameter headerHash: nil where the header was not asked for yet.
  func linkCopy(
    of identity: String, for message: FetchedMessage, headerHash: UInt64?,
    birth: (FetchedMessage, Int64) -> BirthName
  ) throws -> LinkOutcome {
    if context.isRehearsal { return .absent }
    for (mailbox, source) in try context.state.copies(ofEmailID: identity)
    where mailbox != mailboxID {
      guard let folder = try neighbour(mailbox) else { continue }
      switch likeness(source, message, headerHash) {
      case .unknown: continue
      case .unproven: return .needsHeader
      case .different:
        distrustIdentities()
        return .absent
      case .equal: break
      }
      let date = message.internalDate ?? source.internalDate
      do {
        let staged = try folder.withFile(source.name, lastFlags: source.agreed.flags) { file in
          try local.folder.stageCopy(
            of: file, from: folder.folder, expecting: source.digest,
            marks: context.policy.kept(message.marks), internalDate: date,
            base: birth(message, date).base, policy: context.policy)
        }
        if let staged { return .staged(staged, source) }
      } catch let error as MaildirError where !error.stopsRun {
        continue  // Edited here, or gone: the server's copy is downloaded.
      }
    }
    return .absent
  }

  private enum Likeness {
    case equal, different
    /// The header is to be asked for.
    case unproven
    /// What is known of the source proves nothing.
    case unknown
  }

  private func likeness(_ source: MessageRecord, _ message: FetchedMessage, _ headerHash: UInt64?)
    -> Likeness
  {
    guard source.headerHash != 0 else { return .unknown }
    if let size = message.size, !context.serverCountsWrong, source.serverSize != 0,
      size != source.serverSize
    {
      // The size of a file that was found, or sent, is its own.
      return source.isAsServerSent ? .different : .unknown
    }
    guard let headerHash else { return .unproven }
    if headerHash == source.headerHash { return .equal }
    return source.hasServersHeader ? .different : .unknown
  }

  private func distrustIdentities() {
    guard context.distrustIdentities() else { return }
    context.note(
      RunProblem(
        mailbox: record.name,
        problem:
          "The server gives the same identity to messages that differ: in this run each message is "
          + "downloaded for itself.", exitStatus: .done))
  }
}
