import GRDB

/// Does a list of small changes in transactions that stay short, so that whoever else writes (the
/// send queue's view) gets in between.
struct ShortTransactions {
  let store: IndexStore
  /// The time that one transaction may take before it is committed.
  static let longest = Duration.milliseconds(50)

  /// - Parameters:
  ///   - begin: makes what the changes of one transaction share.
  ///   - end: comes before the commit.
  func run<Element, Shared>(
    _ elements: [Element], begin: (Database) throws -> Shared,
    _ change: (inout Shared, Element) throws -> Void, end: (inout Shared) throws -> Void
  ) throws(IndexError) {
    var rest = elements[...]
    while !rest.isEmpty {
      try store.write { db in
        let start = ContinuousClock.now
        var shared = try begin(db)
        while let element = rest.popFirst() {
          try change(&shared, element)
          if start.duration(to: .now) > Self.longest { break }
        }
        try end(&shared)
      }
    }
  }
}
