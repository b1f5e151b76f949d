/// Names of the state's facts.
package enum Fact {
  /// The tree token of the tree that the state tells of.
  package static let tree = "tree"
  /// How many runs changed the state.
  package static let runs = "runs"
  /// How often the tree was adopted.
  package static let generation = "generation"
  /// How keywords were kept in the tree when the state last changed.
  package static let keywords = "keywords"
  /// The server as it presented itself when the state last changed.
  package static let server = "server"
  /// What the server puts in front of the names of a person's mailboxes, then of others', line by line.
  package static let namePrefix = "name-prefix"
  /// When a push first brought messages to a mailbox, or took some away, since a pull saw all that is known of it; in
  /// Unix seconds, written with them.
  package static func pushed(to mailbox: Int64) -> String { "pushed since \(mailbox)" }
  /// When the last pull began that visited all mailboxes and was through with what had come, in Unix seconds.
  package static let wholePull = "whole-pull"
  /// The UIDs of expunged messages whose files are being unlinked.
  package static func unlinking(in mailbox: Int64) -> String { "unlinking \(mailbox)" }
  /// How many pulls in a row could not find out what became of steps to this mailbox.
  package static func undecided(_ mailbox: Int64) -> String { "undecided \(mailbox)" }
  /// The rename that a push is asking the server for.
  package static let renaming = "renaming"
  /// The folder that is about to be moved after its mailbox.
  package static let relocating = "relocating"
  /// Set while the state of a tree that holds mail is made anew.
  package static let adoptsNewMailboxes = "adopts-new-mailboxes"
}
