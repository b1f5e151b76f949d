/// The `watch` table: what `mirror watch` does for this account.
package struct WatchSettings: Sendable, Equatable {
  /// Names of mailboxes to wait at with IDLE, where the server has nothing better.
  package var mailboxes = ["INBOX"]
  /// How often everything else is looked at there.
  package var poll = Duration.seconds(600)
  /// A program that is told of new mail, with its arguments; empty where there is none.
  package var onArrival: [String] = []

  package init() {}
}
