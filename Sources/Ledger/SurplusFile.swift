/// A file that repeats a message of its own folder, in a tree that was adopted. One identity twice in one folder is one
/// message (promise 6): the file stays, and is never sent to the server.
package struct SurplusFile: Sendable, Hashable {
  /// XXH3-64 of the file's base name.
  package let nameHash: UInt64
  /// Of the message that it repeats, as in its record.
  package let contentHash: UInt64

  package init(nameHash: UInt64, contentHash: UInt64) {
    self.nameHash = nameHash
    self.contentHash = contentHash
  }
}
