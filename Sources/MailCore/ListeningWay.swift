/// How an account's server tells of changes, decided anew for each connection.
package enum ListeningWay: String, Sendable, Codable {
  /// NOTIFY (RFC 5465): all mailboxes on one connection.
  case notify
  /// IDLE (RFC 2177) on some mailboxes; the others are looked at now and then.
  case idle
  /// The server tells nothing: all mailboxes are looked at now and then.
  case poll
}
