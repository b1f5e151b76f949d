import MailCore

/// The outcome of a search: SEARCH's list (RFC 3501 §7.2.5) or ESEARCH's (RFC 4731 §3).
package struct SearchResult: Sendable, Equatable {
  /// UIDs, or sequence numbers where `isUID` is false (an old SEARCH does not tell: UIDs, as asked).
  ///
  /// ESEARCH leaves ALL out where nothing was found (RFC 4731 §3.1): asked for ALL, this is the result.
  package var uids = UIDSet()
  package var count: Int?
  package var minimum: UInt32?
  package var maximum: UInt32?
  package var modSeq: ModSequence?
  package var isUID = true
  package var isExtended = false

  package init() {}
}
