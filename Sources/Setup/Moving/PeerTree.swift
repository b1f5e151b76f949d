/// A program whose tree, or tags, `mirror adopt` takes over.
package enum PeerTool: String, CaseIterable, Sendable {
  case mbsync, offlineimap, notmuch, mu
}

/// The account that a peer's configuration names for a tree; what it leaves to commands and scripts is nil.
package struct PeerServer: Sendable, Equatable {
  package var host: String?
  package var user: String?
}

/// One account's folders as another program keeps them.
package struct PeerTree: Sendable, Equatable {
  /// What the peer's configuration calls it, or its directory's name.
  package var name: String
  /// The directory that the folders lie in, absolute.
  package var path: String
  /// The INBOX's own directory, where the configuration tells of one; it may lie anywhere.
  package var inbox: String?
  package var style = FolderStyle.guessed
  package var server: PeerServer?
  package var mapping = FolderMapping()
  /// What could not be understood of the configuration, for people.
  package var remarks: [String] = []
}
