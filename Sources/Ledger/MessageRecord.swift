import MailCore

/// A message, and the mailbox that has it.
package typealias PlacedMessage = (mailbox: MailboxKey, message: MessageRecord)

/// One message of one mailbox: the server's identity, where it lies here, and what both sides agreed on.
package struct MessageRecord: Sendable, Equatable {
  /// How the file differs from the usual.
  package struct Traits: OptionSet, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    /// The server's bytes hold a bare LF or CR: the file keeps them as they came, not LF-converted.
    package static let keptAsItCame = Traits(rawValue: 1)
    /// The file begins with our keywords line, perhaps an empty one.
    package static let hasKeywordsLine = Traits(rawValue: 2)
    /// Known on the server, deliberately not kept here: out of the window.
    package static let pruned = Traits(rawValue: 4)
    /// Adopted by its header: whether line ends were converted is a guess.
    package static let adopted = Traits(rawValue: 8)
    /// The server proved that it expunged the message; the file is still to be unlinked.
    package static let expunged = Traits(rawValue: 16)
    /// Adopted, though its body is not as long as the server's: a person may have edited it, so no window leaves it out.
    package static let differs = Traits(rawValue: 32)
    /// Moved on or deleted by a push, and still on the server, marked \Deleted: no window brings it back. Always with
    /// `pruned`.
    package static let leaving = Traits(rawValue: 64)
    /// The server shows it no longer, and nothing says that it was expunged: its file stays, and what is done to it here
    /// waits, until it is shown again or a person lets it go.
    package static let outOfView = Traits(rawValue: 128)
    /// A person asked for it though the window leaves it out: it stays, and does not count for the window. With `pruned`:
    /// the next pull brings it.
    package static let kept = Traits(rawValue: 256)
    /// Parts of it stay on the server: the file is a stub, and `contentHash` and `size` are the stub's. `serverSize` and
    /// `headerHash` are the message's.
    package static let stub = Traits(rawValue: 512)
    /// A person asked for all of it, and it is still to come. The file may be whole by now.
    package static let wanted = Traits(rawValue: 1024)
    /// It was a stub, and a person asked for all of it: it counts for the cache.
    package static let filled = Traits(rawValue: 2048)
    /// To be a stub again. The file may be one by now.
    package static let leavingParts = Traits(rawValue: 4096)
    /// A revert is about to set its edited file aside, or has done so and was cut off: a missing file is no deletion, and
    /// no word of a person's makes it one. It ends with the record, which is forgotten so that the message comes again, or
    /// when the file is in its folder.
    package static let beingReverted = Traits(rawValue: 8192)
    /// Out of view since the mailbox has another MAILBOXID: where it was never seen under that one, no word of the server's
    /// that it is not there tells of an expunge. Always with `outOfView`.
    package static let notUnderNewID = Traits(rawValue: 65536)
    // 16384 and 32768 were written by earlier versions, and say nothing any more.
  }

  package var uid: UID
  /// Base name: the file name up to the flags. Empty for a pruned message.
  package var name: [UInt8]
  /// Merge base: what server and tree both had when they last agreed.
  package var agreed: MessageMarks
  /// What the server last said, where that could not be brought into the tree yet; else nil.
  package var unappliedRemote: MessageMarks?
  /// XXH3-64 of the canonical header, and of the canonical content. 0 when not known.
  package var headerHash: HeaderHash
  package var contentHash: ContentHash
  /// Bytes of the file as this program left it, our keywords line included.
  package var size: Int64
  /// Bytes as the server sent them, CRLF and all; 0 when not known.
  package var serverSize: Int64 = 0
  /// INTERNALDATE, Unix seconds.
  package var internalDate: Int64
  package var traits: Traits
  /// EMAILID (RFC 8474) or X-GM-MSGID, where the server gives one.
  package var identity: String?
  /// Keywords and labels that the message itself brought along in its header.
  package var nativeLabels: Keywords = .none

  package init(
    uid: UID, name: [UInt8], agreed: MessageMarks, unappliedRemote: MessageMarks? = nil,
    headerHash: HeaderHash = .unknown, contentHash: ContentHash = .unknown, size: Int64 = 0,
    internalDate: Int64 = 0,
    traits: Traits = [], identity: String? = nil
  ) {
    self.uid = uid
    self.name = name
    self.agreed = agreed
    self.unappliedRemote = unappliedRemote
    self.headerHash = headerHash
    self.contentHash = contentHash
    self.size = size
    self.internalDate = internalDate
    self.traits = traits
    self.identity = identity
  }

  /// What the server is known to have.
  package var remote: MessageMarks { unappliedRemote ?? agreed }
  /// X-GM-MSGID, with `gm:` before it; nil where the server is not Gmail.
  package var gmailIdentity: String? { identity?.hasPrefix("gm:") == true ? identity : nil }
  package var isPruned: Bool { traits.contains(.pruned) }
  /// Its file lacks parts of the message.
  package var isStub: Bool { traits.contains(.stub) }
  /// A stub, or one before it was filled: copies of the stub may lie anywhere. Of others that is not known: a state that was
  /// made anew has whole messages only as that.
  package var hasBeenStub: Bool { !traits.isDisjoint(with: [.stub, .filled, .leavingParts]) }
}
