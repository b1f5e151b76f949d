import Ledger

/// In which order a server can do renames, and which it cannot do at all.
///
/// One whose new name is still another's, or lies below one that is to be called otherwise, waits: the server would
/// rename it, too. A name below the mailbox's own old one, or that of another that keeps it, and those that wait for each
/// other are impossible: such a folder is a mailbox of its own, or the other's, which gets its messages.
struct RenameOrder {
  private(set) var possible: [PushPlan.FolderRename] = []
  private(set) var impossible: [PushPlan.FolderRename] = []
  /// Of each mailbox, after the renames so far.
  private var names: [MailboxKey: String]
  private let delimiter: String

  /// - Parameters:
  ///   - renames: parents before the mailboxes below them, which the server renames with them.
  ///   - names: of all mailboxes that the server has.
  init(_ renames: [PushPlan.FolderRename], names: [MailboxKey: String], delimiter: String) {
    self.names = names
    self.delimiter = delimiter
    var pending = renames
    while !pending.isEmpty {
      if let free = pending.firstIndex(where: { !waits($0, for: pending) }) {
        append(pending.remove(at: free))
      } else {
        impossible.append(pending.removeFirst())
      }
    }
  }

  private func waits(_ rename: PushPlan.FolderRename, for pending: [PushPlan.FolderRename]) -> Bool
  {
    pending.contains { other in
      guard other.mailbox != rename.mailbox, let move = move(of: other) else { return false }
      return move.covers(rename.name)
    }
  }

  private mutating func append(_ rename: PushPlan.FolderRename) {
    guard let move = move(of: rename) else {
      possible.append(rename)
      return
    }
    let isTaken = names.contains {
      $0.key != rename.mailbox && $0.value.utf8.elementsEqual(rename.name.utf8)
    }
    if isTaken || move.isIntoItself {
      impossible.append(rename)
    } else {
      possible.append(rename)
      names = names.mapValues { move.name(of: $0) ?? $0 }
    }
  }

  /// Nil for a mailbox that the server does not have.
  private func move(of rename: PushPlan.FolderRename) -> BranchMove? {
    names[rename.mailbox].map { BranchMove(old: $0, new: rename.name, separator: delimiter) }
  }
}
