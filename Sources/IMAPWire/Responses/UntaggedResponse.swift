import MailCore

/// Data that the server sends of itself or for a command, other than FETCH (RFC 9051 §7).
package enum UntaggedResponse: Sendable, Equatable {
  case status(StatusKind, ResponseText)
  case capability(CapabilitySet)
  case enabled(CapabilitySet)
  case exists(Int)
  case recent(Int)
  case expunge(SequenceNumber)
  case vanished(earlier: Bool, UIDSet)
  /// Flags defined in the mailbox.
  case flags([String])
  case list(MailboxListing)
  case mailboxStatus(MailboxStatus)
  case search(SearchResult)
  case namespace(Namespaces)
  case id(ServerID)
  /// What this account may do in a mailbox, by the name's bytes (RFC 4314 §3.8).
  case myRights([UInt8], MailboxRights)
  /// A line that fits nothing, or a FETCH that can't be read: its first kilobyte.
  case unrecognised([UInt8])
}
