import MailCore

/// Something that a push has under way and that a crash must neither repeat nor lose.
package struct PushStep: Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// An APPEND whose answer may be lost.
    case append
    /// The server took it, and did not tell where it lies, or Gmail does not show it there: looked for, and never sent
    /// again.
    case appended
    /// A MOVE: where the source is still there, nothing has happened.
    case move
    /// A COPY, where the server has no MOVE: the copy may be there already.
    case copy
    /// Copied, says the server, and the copy is not to be recognised: looked for, and never made again.
    case unconfirmed
    /// The copy is confirmed; the source is still to be expunged.
    case copied
  }

  /// Unique among steps.
  package var number: UInt32
  package var kind: Kind
  /// The mailbox that the message goes to.
  package var target: Int64
  /// What will be known of the message once it is there; its `uid` means nothing yet. A file that is gone has no name.
  package var record: MessageRecord
  /// Where the message was, for a copy, or the draft that this one replaces; 0 otherwise.
  package var source: Int64
  package var sourceUID: UID
  /// The source's UIDVALIDITY and the hashes of its message when the step began: under other numbers, or with another
  /// message at that UID, nothing is done to it.
  package var sourceValidity: UInt32
  package var sourceHeaderHash: UInt64
  package var sourceContentHash: UInt64
  /// The target's, before it began.
  package var uidValidity: UInt32
  package var uidNext: UInt32
  /// The UID of a confirmed copy, or the one that Gmail told of what it took; 0 where it is not known.
  package var copyUID: UID

  /// The fact that tells when the server said that it took this one, in Unix seconds.
  package var takenFact: String { Self.takenFact(number) }
  /// That of the step with this number.
  package static func takenFact(_ number: UInt32) -> String { "taken \(number)" }

  package init(
    number: UInt32, kind: Kind, target: Int64, record: MessageRecord, source: Int64 = 0,
    sourceUID: UID = UID(0), sourceValidity: UInt32 = 0, sourceHeaderHash: UInt64 = 0,
    sourceContentHash: UInt64 = 0, uidValidity: UInt32, uidNext: UInt32, copyUID: UID = UID(0)
  ) {
    self.number = number
    self.kind = kind
    self.target = target
    self.record = record
    self.source = source
    self.sourceUID = sourceUID
    self.sourceValidity = sourceValidity
    self.sourceHeaderHash = sourceHeaderHash
    self.sourceContentHash = sourceContentHash
    self.uidValidity = uidValidity
    self.uidNext = uidNext
    self.copyUID = copyUID
  }
}

/// A change that the server refused, and how often.
package struct PushRefusal: Codable, Sendable, Equatable {
  package var mailbox: Int64
  package var subject: RefusalSubject
  package var attempts: Int
  /// Unix seconds.
  package var lastAttempt: Int64
  package var reason: String

  package init(
    mailbox: Int64, subject: RefusalSubject, attempts: Int, lastAttempt: Int64, reason: String
  ) {
    self.mailbox = mailbox
    self.subject = subject
    self.attempts = attempts
    self.lastAttempt = lastAttempt
    self.reason = reason
  }
}

/// When a folder was last found to hold nothing that waits for a push.
package struct PushScan: Codable, Sendable, Equatable {
  package var mailbox: Int64
  /// Modification times of `new` and `cur` in nanoseconds; 0 where they prove nothing.
  package var newModified: Int64
  package var curModified: Int64
  /// Which directories those were: others that were put in their place may have their times.
  package var newInode: Int64
  package var curInode: Int64
  /// When the scan began, in nanoseconds since 1970: a file that changed later is looked into.
  package var scanned: Int64
  /// When every file's size and time were last compared, Unix seconds.
  package var compared: Int64

  package init(
    mailbox: Int64, newModified: Int64, curModified: Int64, newInode: Int64, curInode: Int64,
    scanned: Int64, compared: Int64
  ) {
    self.mailbox = mailbox
    self.newModified = newModified
    self.curModified = curModified
    self.newInode = newInode
    self.curInode = curInode
    self.scanned = scanned
    self.compared = compared
  }
}

extension PushRefusal {
  /// So often refused, a thing is not asked for again.
  package static let most = 3

  /// Of a message that the server no longer had.
  package var isLost: Bool { if case .lost = subject { true } else { false } }
}
