import Queue

/// The provider's mailboxes, as far as sending needs them. Blocking, confined to one thread.
package protocol SentMailboxes: AnyObject {
  /// Whether Sent holds a message of this id.
  func sentHolds(_ sought: SoughtMessage) throws -> Bool
  /// Puts a copy into Sent, seen. The bytes have LF line ends; `size` counts them with CRLF.
  ///
  /// - Throws: ``SentMailboxProblem/none``, or what the server refuses.
  func append(
    size: UInt64, internalDate: Int64, read: @escaping (inout [UInt8]) throws -> Int
  ) throws
  /// Proof that a server took the message: a copy of it with a Received field, in Sent, in All Mail, or
  /// in INBOX. A copy that a mail reader saved has none. Words that name the place; nil: no proof.
  func proof(of sought: SoughtMessage) throws -> String?
  /// Whether more can be asked.
  var isUsable: Bool { get }
  func close()
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
