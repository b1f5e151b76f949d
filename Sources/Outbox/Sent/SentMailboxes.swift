import Queue

/// The provider's mailboxes, as far as sending needs them. Blocking, confined to one thread.
package protocol SentMailboxes: AnyObject {
  /// Of each, whether Sent holds a message of its id, never of one without an id; or why that cannot be told.
  ///
  /// - Throws: ``SentMailboxProblem/none``, or what concerns them all.
  func sentHolds(_ sought: [SoughtMessage]) throws -> [Result<Bool, any Error>]
  /// Puts copies into Sent, seen.
  ///
  /// - Returns: of each, why the server refuses it; nil where it was accepted.
  /// - Throws: ``SentMailboxProblem/none``, or what ends the connection: then nobody knows which were accepted.
  func append(_ copies: [SentCopyUpload]) throws -> [(any Error)?]
  /// Proof that a server took the message: a copy of it with a Received field, in Sent, in All Mail, or
  /// in INBOX. A copy that a mail reader saved has none. Words that name the place; nil: no proof.
  func proof(of sought: SoughtMessage) throws -> String?
  /// Whether more can be asked.
  var isUsable: Bool { get }
  func close()
}

/// A message on its way into Sent.
package struct SentCopyUpload {
  /// With CRLF line ends, in bytes.
  package var size: UInt64
  /// Unix seconds.
  package var internalDate: Int64
  /// Fills the buffer with bytes that have LF line ends; 0 at the end.
  package var read: (inout [UInt8]) throws -> Int
}

/// By what a message is known again.
package struct SoughtMessage: Sendable {
  package var messageID: String?
  /// The same as it is spelled in the message, without angle brackets: what is searched for.
  package var spelledID: String?
  /// The Date field as written: the second key, where a provider gave the message another Message-ID.
  package var date: String?
  package var subject: String?
  /// Unix seconds; copies are younger.
  package var queuedSeconds: Int64
  /// One of its recipients is the account itself, so INBOX may have it.
  package var goesToSelf: Bool
  /// Other messages of the queue: a copy of one of these is none of this one.
  package var otherIDs: Set<String> = []
}
