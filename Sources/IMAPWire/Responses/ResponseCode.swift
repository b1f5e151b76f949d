import MailCore

/// What stands in brackets in a status response (RFC 9051 §7.1, RFC 5530, 7162, 8474, and Gmail's).
package enum ResponseCode: Sendable, Equatable {
  // Of mailboxes and messages.
  case uidValidity(UIDValidity)
  case uidNext(UID)
  case highestModSeq(ModSequence)
  case noModSeq
  case readOnly, readWrite, tryCreate, closed, uidNotSticky
  case permanentFlags([String])
  case unseen(SequenceNumber)
  case appendUID(UIDValidity, UIDSet)
  case copyUID(CopyUID)
  case modified(UIDSet)
  case mailboxID(String)
  // Of the session.
  case capability(CapabilitySet)
  /// NOTIFY asked for events that the server does not have (RFC 5465 §5): it lists those it has. Dovecot lists those it lacks.
  case badEvent([String])
  case alert, compressionActive, notificationOverflow
  case authenticationFailed, authorizationFailed, expired, privacyRequired, contactAdmin
  // Of refusals.
  case noPermission, inUse, expungeIssued, corruption, serverBug, clientBug, cannot, limit
  case overQuota, alreadyExists, nonExistent, unavailable, throttled, tooBig
  /// Any other, its arguments as they stood (at most 256 bytes).
  case other(name: String, arguments: String)

  /// Codes without arguments, by name.
  static let plain: [String: ResponseCode] = [
    "NOMODSEQ": .noModSeq, "READ-ONLY": .readOnly, "READ-WRITE": .readWrite,
    "TRYCREATE": .tryCreate, "CLOSED": .closed, "UIDNOTSTICKY": .uidNotSticky, "ALERT": .alert,
    "COMPRESSIONACTIVE": .compressionActive, "AUTHENTICATIONFAILED": .authenticationFailed,
    "AUTHORIZATIONFAILED": .authorizationFailed, "EXPIRED": .expired,
    "PRIVACYREQUIRED": .privacyRequired, "CONTACTADMIN": .contactAdmin, "NOPERM": .noPermission,
    "INUSE": .inUse, "EXPUNGEISSUED": .expungeIssued, "CORRUPTION": .corruption,
    "SERVERBUG": .serverBug, "CLIENTBUG": .clientBug, "CANNOT": .cannot, "LIMIT": .limit,
    "OVERQUOTA": .overQuota, "ALREADYEXISTS": .alreadyExists, "NONEXISTENT": .nonExistent,
    "NOTIFICATIONOVERFLOW": .notificationOverflow, "UNAVAILABLE": .unavailable,
    "THROTTLED": .throttled, "TOOBIG": .tooBig,
  ]
}

/// Where copied or moved messages went (RFC 4315 §3): two lists whose order pairs them.
package struct CopyUID: Sendable, Equatable {
  package var validity: UIDValidity
  var source: [ClosedRange<UInt32>]
  var destination: [ClosedRange<UInt32>]

  package init(
    validity: UIDValidity, source: [ClosedRange<UInt32>], destination: [ClosedRange<UInt32>]
  ) {
    self.validity = validity
    self.source = source
    self.destination = destination
  }

  /// Each copied UID beside its new one; nil where the lists differ in length, or are absurdly long.
  package func pairs() -> [(source: UID, destination: UID)]? {
    let count = source.reduce(0) { $0 + $1.count }
    guard count == destination.reduce(0, { $0 + $1.count }), count <= 1_000_000 else { return nil }
    return zip(source.joined(), destination.joined()).map { (UID($0), UID($1)) }
  }
}
