import MailCore

/// One FETCH of a download.
package struct FetchRequest: Sendable {
  package enum Wanted: Sendable {
    /// Flags, dates, sizes and identities, so that what is here already needs no download. The other two bring them, too.
    case identities
    /// With the header, to match files by their content.
    case headers
    /// With the whole message.
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
  /// EMAILID, or `gm:` and X-GM-MSGID: the same in every mailbox that holds the message.
  package var identity: String?

  package init(
    uid: UID, marks: MessageMarks, internalDate: Int64?, size: Int64? = nil, identity: String? = nil
  ) {
    self.uid = uid
    self.marks = marks
    self.internalDate = internalDate
    self.size = size
    self.identity = identity
  }
}

/// Receives what FETCHes bring, message by message, bytes as they come. Confined to the connection's thread.
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

/// For probes, which keep what comes and answer for nothing that does not.
extension FetchSink {
  package func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {}
  package func bytes(_ bytes: UnsafeRawBufferPointer) {}
  package func spoilt(uid: UID?, because reason: String) {}
  package func answered(_ request: FetchRequest, refusal: String?) {}
}
