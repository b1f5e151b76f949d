import MailCore

/// Something that a push has under way and that a crash must neither repeat nor lose.
package struct PushStep: Sendable, Equatable {
  /// How far it has come. A stage is on disk before the server is asked for what it stands for, and what the server then
  /// said before anything follows from that. An entry is closed when nothing is left to do or to look for.
  package enum Stage: Sendable, Equatable {
    /// An APPEND, or a COPY of what another mailbox has, whose answer may be lost. Becomes `appended` where the server
    /// takes it without showing it, `copied` where it is there and replaces a draft. Closed when it is there, refused, or
    /// not found by a search: then the file is sent anew.
    case append
    /// The server took it (at this moment, Unix seconds), and did not tell where it lies, or Gmail does not show it at the
    /// UID that it told: looked for, and never sent again. Becomes `copied` where it is there and replaces a draft. Closed
    /// when it is there, or its file is gone.
    case appended(at: UID?, time: Int64)
    /// A MOVE: where the source is still there, nothing has happened. Becomes `copied` where the server shows the message
    /// at both places. Closed when it is at its new place, or still at its old one, or at none.
    case move
    /// A COPY, where the server has no MOVE: the copy may be there already. Becomes `unconfirmed` or `copied`. Closed
    /// when it was refused, or is not found by a search.
    case copy
    /// Copied, says the server, and the copy is not to be recognised: looked for, and never made again. Becomes `copied`.
    /// Closed when the source is gone.
    case unconfirmed
    /// The copy is confirmed at this UID; the source is still to be expunged. Closed when it is gone, or another message.
    case copied(at: UID)
  }

  /// A message that leaves its place: what is moved on, or the draft that is replaced. Under another UIDVALIDITY, or with
  /// other hashes at that UID, nothing is done to it.
  package struct Source: Sendable, Equatable {
    package var mailbox: MailboxKey
    package var uid: UID
    package var uidValidity: UInt32
    package var headerHash: HeaderHash
    package var contentHash: ContentHash

    package init(
      mailbox: MailboxKey, uid: UID, uidValidity: UInt32, headerHash: HeaderHash,
      contentHash: ContentHash
    ) {
      self.mailbox = mailbox
      self.uid = uid
      self.uidValidity = uidValidity
      self.headerHash = headerHash
      self.contentHash = contentHash
    }

    /// As it is when the step begins.
    package init(_ record: MessageRecord, in mailbox: MailboxKey, uidValidity: UInt32) {
      self.init(
        mailbox: mailbox, uid: record.uid, uidValidity: uidValidity,
        headerHash: record.headerHash, contentHash: record.contentHash)
    }
  }

  /// Unique among steps.
  package var number: UInt32
  package var stage: Stage
  /// The mailbox that the message goes to.
  package var target: MailboxKey
  /// What will be known of the message once it is there; its `uid` means nothing yet. A file that is gone has no name.
  package var record: MessageRecord
  /// What leaves its place: nil for a new message that replaces no draft.
  package var source: Source?
  /// The target's, before it began.
  package var uidValidity: UInt32
  package var uidNext: UInt32

  package init(
    number: UInt32, stage: Stage, target: MailboxKey, record: MessageRecord, source: Source? = nil,
    uidValidity: UInt32, uidNext: UInt32
  ) {
    self.number = number
    self.stage = stage
    self.target = target
    self.record = record
    self.source = source
    self.uidValidity = uidValidity
    self.uidNext = uidNext
  }

  /// Its file is new here: by APPEND, or by a COPY that spares one.
  package var isUpload: Bool {
    switch stage {
    case .append, .appended: true
    case .move, .copy, .unconfirmed, .copied: false
    }
  }

  /// Only to be expunged from its old place.
  package var isCopied: Bool { if case .copied = stage { true } else { false } }

  /// Where the server says that it is.
  package var place: UID? {
    switch stage {
    case .appended(let uid, _): uid
    case .copied(let uid): uid
    case .append, .move, .copy, .unconfirmed: nil
    }
  }
}
