import MailCore

/// What became of the tags, or would.
package struct TagReport: Sendable, Encodable {
  package struct Count: Sendable, Encodable, Equatable {
    package var tag: String
    package var files: Int
    /// Why it was left out; nil for what became a keyword.
    package var reason: String?
  }

  /// Files that got keywords.
  package var files = 0
  /// Files that had them.
  package var unchanged = 0
  package var keywords: [Count] = []
  package var leftOut: [Count] = []
  /// Messages of the dump with tags to take that lie in none of the trees.
  package var notFound = 0
  /// Files that could not be changed.
  package var failed: [MovePlan.LeftOut] = []

  package var exitStatus: ExitStatus { failed.isEmpty ? .done : .inPart }
}
