import MailCore
import SyncPlan

/// A mailbox to open, and the UIDVALIDITY under which its UIDs are known.
package struct MailboxTarget: Sendable {
  package var name: MailboxName
  /// The server's own spelling.
  package var rawName: [UInt8]
  /// Nil on first sight.
  package var uidValidity: UIDValidity?

  package init(name: MailboxName, rawName: [UInt8], uidValidity: UIDValidity?) {
    self.name = name
    self.rawName = rawName
    self.uidValidity = uidValidity
  }
}

/// How to ask for what changed, in one flight with opening the mailbox.
package enum DeltaQuestion: Sendable, Equatable {
  /// First sight, or everything in doubt: all UIDs, and the marks of those up to `marksUpTo`.
  case everything(marksUpTo: UID?)
  /// CONDSTORE: all UIDs, and the marks changed since (RFC 7162 §3.1.4.1).
  case changedSince(ModSequence, marksUpTo: UID)
  /// QRESYNC: what vanished and changed since (RFC 7162 §3.2.5); of the UIDs only those from `newFrom`,
  /// or all of them.
  case quickResync(UIDValidity, ModSequence, newFrom: UID, listsAll: Bool)
}

/// One FETCH of a download.
package struct FetchRequest: Sendable {
  package enum Wanted: Sendable {
    /// Flags, dates, sizes and identities, so that what is here already needs no download.
    case identities
    /// The same with the header, to match files by their content.
    case headers
    /// Whole messages with flags and dates.
    case bodies
  }
  package var uids: UIDSet
  package var wanted: Wanted

  package init(_ wanted: Wanted, _ uids: UIDSet) {
    self.wanted = wanted
    self.uids = uids
  }
}

/// What a FETCH says of one message.
package struct FetchedMessage: Sendable {
  package var uid: UID
  package var marks: MessageMarks
  /// INTERNALDATE, Unix seconds; nil where the server gave none that could be read.
  package var internalDate: Int64?
  /// RFC822.SIZE: a hint (some servers are wrong by a factor of three).
  package var size: Int64?
  package var emailID: String?

  package init(
    uid: UID, marks: MessageMarks, internalDate: Int64?, size: Int64? = nil, emailID: String? = nil
  ) {
    self.uid = uid
    self.marks = marks
    self.internalDate = internalDate
    self.size = size
    self.emailID = emailID
  }
}

/// Takes what FETCHes bring, message by message, bytes as they come. Confined to the connection's thread.
package protocol FetchSink: AnyObject {
  /// A header or a whole message begins; UID and keywords where the server sent them first.
  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) throws
  func bytes(_ bytes: UnsafeRawBufferPointer) throws
  /// All of a message's answer is there. `hasBytes` tells whether a literal came with it; `wanted` what had been
  /// asked for when it came.
  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) throws
  /// An answer that no message can be made of: what came with it must be thrown away.
  func spoilt(uid: UID?, because reason: String) throws
  /// The request is answered. A reason is given where the server refused it.
  func answered(_ request: FetchRequest, refusal: String?) throws
}

/// One account's connection to its server, with at most one mailbox open, always read-only.
package protocol RemoteMailbox: AnyObject {
  /// EMAILID or X-GM-MSGID identify messages across mailboxes.
  var identifiesMessages: Bool { get }
  /// The server shows only the newest messages of a large mailbox, or may do so with the one that is open.
  var showsPartOnly: Bool { get }
  var understandsQuickResync: Bool { get }
  var understandsChangedSince: Bool { get }

  /// - Parameter known: whose flags and keywords are wanted, if not everyone's; those of other messages are dropped.
  func open(_ target: MailboxTarget, asking question: DeltaQuestion, marksOf known: UIDSet?) throws
    -> MailboxDelta

  /// All UIDs of the open mailbox, with EXISTS at that moment.
  func listAll() throws -> (uids: UIDSet, exists: Int)

  /// Which of `uids` still exist.
  func existing(_ uids: UIDSet) throws -> UIDSet

  /// UIDs whose INTERNALDATE is not before that day.
  func arrived(since: Int64) throws -> UIDSet

  /// Runs requests with several in flight. `next` is asked whenever there is room; nil means nothing just now,
  /// and with nothing in flight it means done.
  ///
  /// - Parameter target: set to open the mailbox first, in the same flight.
  /// - Throws: ``SyncError/uidValidityChanged(_:)`` when it is not the mailbox that was meant.
  func fetch(
    opening target: MailboxTarget?, next: () throws -> FetchRequest?, into sink: some FetchSink
  ) throws
}

extension RemoteMailbox {
  package func open(_ target: MailboxTarget, asking question: DeltaQuestion) throws -> MailboxDelta
  {
    try open(target, asking: question, marksOf: nil)
  }
}
