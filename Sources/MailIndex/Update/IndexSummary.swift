/// What a run did.
package struct IndexSummary: Sendable, Equatable {
  /// Why the index was made anew, if it was.
  package internal(set) var reset: ResetReason?
  /// Files that were opened.
  package internal(set) var read = 0
  package internal(set) var addedMessages = 0
  /// Files that only got another name, place or flag.
  package internal(set) var renamed = 0
  /// Files that were read anew in their place, because their content changed.
  package internal(set) var edited = 0
  package internal(set) var removedFiles = 0
  /// What the index holds now.
  package internal(set) var messages = 0
  /// Rows of the search text whose message is gone.
  package internal(set) var dead = 0
  /// Left out, and why.
  package internal(set) var problems: [IndexProblem] = []
  package internal(set) var duration = Duration.zero
  /// The most that one transaction kept others from writing.
  package internal(set) var longestWrite = WriteTime()

  init(reset: ResetReason?) { self.reset = reset }

  /// Tells of the changes that `earlier` told of, not of making all anew for its own sake.
  mutating func keep(_ earlier: IndexSummary) {
    read = earlier.read
    addedMessages = earlier.addedMessages
    renamed = earlier.renamed
    edited = earlier.edited
    removedFiles = earlier.removedFiles
    problems = earlier.problems
  }

  /// Files that the index had and that are another way now.
  package var changed: Int { renamed + edited }
}
