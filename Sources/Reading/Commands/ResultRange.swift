import ArgumentParser

/// Which of many results are printed.
package struct ResultRange: Sendable, Equatable {
  /// At most so many; 0: all; nil: 50 on a terminal, else all.
  package var limit: Int?
  /// So many are left out at the start.
  package var offset = 0

  package init(limit: Int? = nil, offset: Int = 0) {
    self.limit = limit
    self.offset = offset
  }

  /// Nil: all.
  func limit(onTerminal: Bool) -> Int? {
    switch limit {
    case nil: onTerminal ? 50 : nil
    case 0: nil
    case let limit: limit
    }
  }
}

/// The options for a ``ResultRange``.
package struct ListRange: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "At most so many; 0: all. Default: 50 on a terminal, else all.", valueName: "count"))
  package var limit: Int?

  @Option(help: ArgumentHelp("Leave out so many at the start.", valueName: "count"))
  package var offset = 0

  package init() {}

  package func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes no negative number.") }
    if offset < 0 { throw ValidationError("--offset takes no negative number.") }
  }

  package var range: ResultRange { ResultRange(limit: limit, offset: offset) }
}
