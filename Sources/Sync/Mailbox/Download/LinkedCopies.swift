import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Messages that lie in folders of other mailboxes already, found by the identity that the server gives to all of a
/// message's copies.
final class LinkedCopies {
  /// What came of an identity that messages of other mailboxes share.
  enum Outcome {
    /// It lies in another folder, and is staged for this one.
    case staged(StagedMessage, MessageRecord)
    /// Another folder may have it: the header tells.
    case needsHeader
    /// No other folder has it, or can give it.
    case absent
  }

  private let mailbox: PulledMailbox
  /// Of other mailboxes, by their numbers.
  private var folders: [MailboxKey: LocalFolder] = [:]

  init(_ mailbox: PulledMailbox) { self.mailbox = mailbox }

  func exist(of identity: String) throws -> Bool {
    try mailbox.state.copies(of: identity).contains { $0.mailbox != mailbox.id }
  }

  /// Stages it for this mailbox's folder: a hard link where nothing differs, else a copy.
  ///
  /// The identity is the server's word, and servers err: what is not downloaded is never seen. So the size and the header
  /// must be those of the message that is here.
  ///
  /// - Parameter headerHash: nil where the header was not asked for yet.
  func stage(_ identity: String, for message: FetchedMessage, headerHash: HeaderHash?) throws
    -> Outcome
  {
    if mailbox.context.isRehearsal { return .absent }
    for (owner, source) in try mailbox.state.copies(of: identity)
    where owner != mailbox.id && !source.mayHaveMore {
      guard let folder = try folder(of: owner) else { continue }
      switch likeness(source, message, headerHash) {
      case .unknown: continue
      case .unproven: return .needsHeader
      case .different:
        if mailbox.context.distrustIdentities() { mailbox.report(PullNotice.identitiesRepeat) }
        return .absent
      case .equal: break
      }
      let date = message.internalDate ?? source.internalDate
      do {
        let staged = try folder.withFile(of: source) { file in
          try mailbox.local.folder.stageCopy(
            of: file, from: folder.folder, expecting: source.digest,
            marks: mailbox.policy.kept(message.marks), internalDate: date,
            base: mailbox.birthName(of: message, date).base, policy: mailbox.policy)
        }
        if let staged { return .staged(staged, source) }
      } catch let error as MaildirError where !error.stopsRun {
        continue  // Edited here, or gone: the server's copy is downloaded.
      }
    }
    return .absent
  }

  private func folder(of owner: MailboxKey) throws -> LocalFolder? {
    if let folder = folders[owner] { return folder }
    let folder = try mailbox.context.folders.local(ofMailbox: owner, isShared: true)
    folders[owner] = folder
    return folder
  }

  private enum Likeness {
    case equal, different
    /// The header is to be asked for.
    case unproven
    /// What is known of the source proves nothing.
    case unknown
  }

  private func likeness(
    _ source: MessageRecord, _ message: FetchedMessage, _ headerHash: HeaderHash?
  )
    -> Likeness
  {
    guard source.headerHash != .unknown else { return .unknown }
    if let size = message.size, !mailbox.context.serverCountsWrong, source.serverSize != 0,
      size != source.serverSize
    {
      // The size of a file that was found, or sent, is its own.
      return source.isAsServerSent ? .different : .unknown
    }
    guard let headerHash else { return .unproven }
    if headerHash == source.headerHash { return .equal }
    return source.hasServersHeader ? .different : .unknown
  }
}

extension MessageRecord {
  /// A person may have written into the file: another message's file is not to have that.
  fileprivate var mayHaveMore: Bool {
    traits.contains(.differs) || isStub && traits.contains(.adopted)
  }
}
