import GRDB
import MailCore

/// What can be wrong with the index. Nothing of it touches mail: the index is made from the tree and
/// can be made again.
package enum IndexError: Error, Equatable {
  /// There is no index at this root yet.
  case missing(root: String)
  /// Not a database, torn, or with rows that contradict one another.
  case damaged(String)
  /// Of another version of this program; the next update makes it anew.
  case otherVersion
  /// Another process brings the index up to date.
  case busy(holder: String)
  /// Another program holds a lock on the database itself.
  case locked
  /// Something that is no file of ours lies where the index belongs.
  case occupied(path: String, by: String)
  /// There is no directory at the root.
  case noTree(root: String)
  case diskFull
  /// The disk took or gave nothing: SQLite says no more of it.
  case disk(String)
  case notWritable(String)
  case failed(String)

  init(_ error: any Error) {
    switch error {
    case let error as IndexError: self = error
    case let error as DatabaseError:
      let words = error.message ?? error.resultCode.description
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(words)
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked
      case .SQLITE_FULL: self = .diskFull
      case .SQLITE_IOERR: self = .disk(words)
      case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: self = .notWritable(words)
      default: self = .failed(words)
      }
    default: self = .failed(String(describing: error))
    }
  }
}

extension IndexError: Explained {
  package var explanation: Explanation {
    switch self {
    case .missing(let root):
      Explanation(
        problem: "The mail in “\(root.visible)” has no index yet.",
        remedy: "`mirror-index update --root '\(root.visible)'` makes it.", exitStatus: .inPart)
    case .damaged(let words):
      Explanation(
        problem: "The index is damaged (\(words.visible)).",
        remedy: "The next `mirror-index update` makes it anew, or `mirror-index rebuild` does now; "
          + "no mail is touched.", exitStatus: .inPart)
    case .otherVersion:
      Explanation(
        problem: "The index was made by another version of this program.",
        remedy: "`mirror-index update` makes it anew.", exitStatus: .inPart)
    case .busy(let holder):
      Explanation(
        problem: "The index is being brought up to date already: \(holder.visible).",
        remedy: "Try again in a moment; searching and reading work meanwhile.", exitStatus: .busy)
    case .locked:
      Explanation(
        problem: "Another program holds a lock on the index.",
        remedy: "Try again when it is done.", exitStatus: .busy)
    case .occupied(let path, let what):
      Explanation(
        problem: "The index cannot be at “\(path.visible)”: \(what) is there.",
        remedy: "Move it away and run `mirror-index update`.", exitStatus: .refused)
    case .noTree(let root):
      Explanation(
        problem: "There is no mail directory at “\(root.visible)”.",
        remedy: "Say where it is with `--root DIR`.", exitStatus: .configuration)
    case .diskFull:
      Explanation(
        problem: "The disk is full: the index could not be written.",
        remedy: "Make room and run `mirror-index update`.", exitStatus: .inPart)
    case .disk(let words):
      Explanation(
        problem: "The disk took or gave nothing of the index (\(words.visible)); it may be full.",
        remedy:
          "Make room on the disk of the mail tree, or have it checked; then run `mirror-index update`.",
        exitStatus: .inPart)
    case .notWritable(let words):
      Explanation(
        problem: "The index cannot be opened or written (\(words.visible)).",
        remedy: "Check who owns `.mirror` below the mail's root, and its permissions.",
        exitStatus: .refused)
    case .failed(let words):
      Explanation(
        problem: "The index failed: \(words.visible).",
        remedy: "Run `mirror-index update`; `mirror-index check` tells more.", exitStatus: .inPart)
    }
  }
}
