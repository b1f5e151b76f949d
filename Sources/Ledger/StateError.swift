import MailCore

/// What can be wrong with state.db.
package enum StateError: Error, Equatable {
  /// Not a database, torn, or of a shape this program does not know. The account adopts its tree anew.
  case damaged(String)
  /// Written by a newer `mirror`.
  case fromTheFuture
  case diskFull
  /// What a full disk says, too, where a file beside the database cannot grow.
  case disk(String)
  case readOnly(String)
  case failed(String)
}

extension StateError: Explained {
  package var explanation: Explanation {
    switch self {
    case .damaged(let words):
      Explanation(
        problem: "The account's state.db is damaged (\(words)).",
        again: "Pull again: the state is rebuilt from its backup or from the tree.",
        exitStatus: .inPart)
    case .fromTheFuture:
      Explanation(
        problem: "The account's state.db was written by a newer version of mirror.",
        remedy:
          "Install that version again; this one would not understand what it recorded. A watch that began "
          + "before an upgrade is to be started again.",
        exitStatus: .configuration)
    case .diskFull:
      Explanation(
        problem: "The disk is full: the state could not be written.",
        remedy: "Free some space: the next run goes on. Nothing was lost.", exitStatus: .inPart)
    case .disk(let words):
      Explanation(
        problem:
          "The disk took or gave nothing of the account's state.db (\(words)); it may be full.",
        remedy:
          "Make room on the disk of the mail tree, or have it checked: the next run goes on. Nothing was lost.",
        exitStatus: .inPart)
    case .readOnly(let words):
      Explanation(
        problem: "The account's state.db cannot be written (\(words)).",
        remedy: "Check that the tree is mounted read-write and belongs to you.",
        exitStatus: .refused)
    case .failed(let words):
      Explanation(
        problem: "The account's state.db failed: \(words).", again: "Run again.",
        exitStatus: .inPart)
    }
  }
}
