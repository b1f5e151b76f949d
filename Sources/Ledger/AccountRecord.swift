/// What the state knows of the account as a whole; there is one of these.
package struct AccountRecord: Codable, Sendable, Equatable {
  private var id = 1
  /// The tree token of the tree that the state tells of; nil until a run has said whose state this is.
  package var tree: String?
  /// How many runs changed the state.
  package var runs: Int64 = 0
  /// How often the tree was adopted.
  package var generation: Int64 = 0
  /// How keywords were kept in the tree when the state last changed.
  package var keywords: String?
  /// The server as it presented itself when the state last changed.
  package var server: String?
  /// What the server puts in front of the names of a person's mailboxes, then of others', line by line.
  package var namePrefix: String?
  /// Mailboxes that hold what other mailboxes hold, as All Mail does, when they were last listed; nil where there are none.
  package var views: ViewNames?
  /// When the last pull began that visited all mailboxes and was through with what had come, in Unix seconds.
  package var wholePull: Int64?
  /// Set while the state of a tree that holds mail is made anew.
  package var adoptsNewMailboxes = false

  package init() {}
}
