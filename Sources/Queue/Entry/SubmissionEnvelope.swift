import Maildir

/// What stays the same about a queued message: written once, before the message counts as queued.
package struct SubmissionEnvelope: Sendable, Hashable {
  package var id: QueueID
  package var queued: QueueInstant
  /// The account directory that it was queued in; anywhere else it is a restored copy, and parked.
  package var tree: TreeIdentity
  /// Told before the first byte is sent, that it is still the message that was accepted.
  package var message: FrozenMessage
  /// Our name of the message in `tmp/` while it was written: it tells whose leftover this is.
  package var temporaryName: String
  /// MAIL FROM; empty is the null sender.
  package var sender: String
  /// RCPT TO, each once, in the order given.
  package var recipients: [String]
  /// Without angle brackets.
  package var messageID: String?
  /// Decoded, for lists.
  package var subject: String?
  package var needs: TransportNeeds
  /// When reports are wanted, as NOTIFY writes it (RFC 3461 §4.1); nil leaves it to the server.
  package var notify: String?

  package init(
    id: QueueID, queued: QueueInstant, tree: TreeIdentity, message: FrozenMessage,
    temporaryName: String, sender: String, recipients: [String], messageID: String? = nil,
    subject: String? = nil, needs: TransportNeeds = [], notify: String? = nil
  ) {
    self.id = id
    self.queued = queued
    self.tree = tree
    self.message = message
    self.temporaryName = temporaryName
    self.sender = sender
    self.recipients = recipients
    self.messageID = messageID
    self.subject = subject
    self.needs = needs
    self.notify = notify
  }
}

/// The bytes on disk, told apart from any copy of them.
package struct FrozenMessage: Sendable, Hashable {
  package var size: UInt64
  /// With CRLF for every LF: what SIZE tells the server (RFC 1870).
  package var wireSize: UInt64
  /// XXH3-64 of all bytes.
  package var hash: UInt64
  package var inode: UInt64
  /// Nanoseconds since 1970; 0 where the file system keeps none.
  package var birthTime: Int64

  /// Whether both are the very same file; a copy that a restore brought back is not.
  func isSameFile(as other: FrozenMessage) -> Bool {
    inode == other.inode
      && (birthTime == other.birthTime || birthTime == 0 || other.birthTime == 0)
  }
}

/// What the message asks of a server beyond RFC 5321's least.
package struct TransportNeeds: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Bytes above 127 in the body: BODY=8BITMIME (RFC 6152).
  package static let eightBit = TransportNeeds(rawValue: 1)
  /// Bytes above 127 in an address or header: SMTPUTF8 (RFC 6531).
  package static let utf8 = TransportNeeds(rawValue: 2)
}
