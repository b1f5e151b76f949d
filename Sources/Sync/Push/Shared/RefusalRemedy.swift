import Ledger

/// What a person can do about a change that the server refused: one table, for the push that was refused and for
/// `mirror status`, which tells of it later.
struct RefusalRemedy {
  enum Change {
    /// A file that is to be sent.
    case message
    /// A file that repeats a message of another mailbox.
    case copy
    /// Flags, keywords, moves or deletions.
    case change
    /// A folder that is to become a mailbox.
    case creation
    /// A folder with another name.
    case rename
  }

  let change: Change
  let obstacle: PushRefusal.Obstacle?
  /// It is asked for again only where a person says so.
  var isGivenUp = false

  var words: String {
    let way = self.way
    return way.isEmpty ? again : "\(way) \(again)"
  }

  /// What lets it through, where the server's code tells; what else can be done.
  private var way: String {
    switch (change, obstacle) {
    case (.message, .room), (.copy, .room), (.creation, .room), (.rename, .room),
      (.creation, .limit):
      "Make room on the server."
    case (.message, .limit):
      "It is over a limit of the server's: take keywords off it or mail out of the mailbox, or move it to a folder that "
        + "is not mirrored."
    case (.copy, .limit):
      "It is over a limit of the server's: take mail out of the mailbox, or remove the copy."
    case (.message, .size):
      "It is larger than the server takes: make it smaller, or move it to a folder that is not mirrored."
    case (.copy, .size): "It is larger than the server takes: remove the copy."
    case (.change, .room): "Make room on the server, or give the change up with `mirror revert`."
    case (.change, .limit):
      "Take keywords or mail out of the mailbox, or give the change up with `mirror revert`."
    case (.rename, .limit): "Give it another name, or its old one with `mirror revert`."
    case (.change, nil), (.change, .size):
      isGivenUp
        ? "Ask the mailbox's owner for the right to it, or give the change up with `mirror revert`."
        : ""
    case (.creation, nil), (.creation, .size):
      isGivenUp ? "Give the folder another name." : ""
    case (.rename, nil), (.rename, .size):
      isGivenUp ? "Give it another name, or its old one with `mirror revert`." : ""
    case (.message, nil), (.copy, nil): ""
    }
  }

  private var again: String {
    isGivenUp ? "`mirror push --full` tries again." : "Each push tries again."
  }
}
