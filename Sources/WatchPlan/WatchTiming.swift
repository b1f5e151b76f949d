import MailCore

/// When what was heard of is acted on.
///
/// Every wait begins with the first event, so that a steady trickle of events delays nothing for ever.
package struct WatchTiming: Equatable, Sendable {
  /// From the first event on; from the end of the last run of the same kind on; and how long these two may take together.
  package struct Rule: Equatable, Sendable {
    package var wait: Duration
    package var between: Duration
    package var atMost: Duration

    /// When to act on what was first heard of at `first`.
    func due(first: Moment, last: Moment?) -> Moment {
      let waited = first + wait
      guard let last else { return waited }
      return min(max(waited, last + between), max(waited, first + atMost))
    }
  }

  /// How often everything of a server with IDLE or nothing is looked at.
  package var poll: Duration = .seconds(600)

  package var arrivals = Rule(wait: .zero, between: .seconds(1), atMost: .seconds(1))
  package var changes = Rule(wait: .seconds(1), between: .seconds(5), atMost: .seconds(10))
  package var marks = Rule(wait: .seconds(2), between: .seconds(5), atMost: .seconds(15))
  /// Files that are gone from a folder: they may turn up in another one, or come back.
  package var removals = Rule(wait: .seconds(5), between: .seconds(5), atMost: .seconds(15))
  /// Counted from the last event on: an editor saves a draft again and again.
  package var drafts = Rule(wait: .seconds(60), between: .seconds(60), atMost: .seconds(600))
  /// After events were lost.
  package var overflow = Rule(wait: .seconds(1), between: .seconds(60), atMost: .seconds(60))

  package init(poll: Duration = .seconds(600)) { self.poll = poll }

  /// Even where a server tells of everything, something may get lost on the way.
  func look(_ way: ListeningWay) -> Duration {
    switch way {
    case .notify: Self.longestLook
    case .idle: min(poll, .seconds(900))
    case .poll: min(poll, Self.longestLook)
    }
  }

  static let longestLook: Duration = .seconds(3600)
  /// Where the file system tells of nothing, where the tree is gone, or where a refused secret may have been changed.
  static let blindLook: Duration = .seconds(60)
  /// Until something that the settings or the server's certificate do not allow is tried again.
  static let forbidden: Duration = .seconds(900)
  /// Between two attempts while another process has the account.
  static let busy: Duration = .seconds(30)
  /// What the filing of copies has from its start on before a message interrupts it, and until it is tried again.
  static let copies: Duration = .seconds(1)
  /// A connection that lasted no longer counts as an attempt that failed.
  static let standing: Duration = .seconds(30)
  /// One that was lost sooner is opened again at once where none was lost for so long.
  static let calm: Duration = .seconds(600)
  /// A connection that has been under way for so long when the network changes is begun anew.
  static let opening: Duration = .seconds(5)
  /// A line that is checked has answered by then, or was found dead.
  static let answer: Duration = .seconds(11)
  /// Changes of the network come in bursts: the line is tried when they are over.
  static let networkQuiet = Rule(wait: .seconds(1), between: .zero, atMost: .seconds(5))
  /// A timer that is so late has been asleep.
  static let overdue: Duration = .seconds(30)
  /// What is under way when the watch is told to end has so long.
  static let ending: Duration = .milliseconds(2500)
  /// A send waits ten seconds for the answer to a message's end: without it nobody knows whether it was sent.
  static let endingSend: Duration = .seconds(12)
  /// So many mailboxes at once are quicker asked for together.
  static let manyMailboxes = 16
}
