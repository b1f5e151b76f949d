import GRDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Does lists of small changes in transactions that stay short, so that whoever else writes (the send queue's view)
/// gets in between.
///
/// What a change costs shows only when it is settled and committed: search text, threads and counts come then. So
/// each transaction takes as many as those before it let expect.
struct ShortTransactions {
  let store: IndexStore
  private var pace = Pace()
  private var ended: ContinuousClock.Instant?

  init(store: IndexStore) { self.store = store }

  /// For whoever waits to write: they look again each millisecond (``IndexStore/openAsItIs(root:)``).
  private static let gap = Duration.milliseconds(2)

  /// - Parameters:
  ///   - begin: makes what the changes of one transaction share.
  ///   - end: comes before the commit.
  ///   - weight: bytes that are not written before the end.
  mutating func run<Element, Shared>(
    _ elements: [Element], begin: (Database) throws -> Shared,
    _ change: (inout Shared, Element) throws -> Void,
    end: (inout Shared) throws -> Void = { _ in }, weight: (Element) -> Int = { _ in 0 }
  ) throws(IndexError) {
    var rest = elements[...]
    while !rest.isEmpty {
      letOthersIn()
      var done = 0
      let most = pace.count
      try store.write { db in
        let start = ContinuousClock.now
        var bytes = 0
        var shared = try begin(db)
        while done < most, let element = rest.popFirst() {
          try change(&shared, element)
          done += 1
          bytes += weight(element)
          if bytes >= Pace.mostBytes || start.duration(to: .now) >= Pace.mostBefore { break }
        }
        try end(&shared)
      }
      pace.note(done, store.clock.last.elapsed)
      ended = .now
    }
  }

  private func letOthersIn() {
    guard let ended else { return }
    let left = Self.gap - ended.duration(to: .now)
    if left > .zero { usleep(UInt32(left / .microseconds(1))) }
  }
}

/// How many changes fit into a transaction.
struct Pace {
  static let aim = Duration.milliseconds(30)
  /// Of a transaction that has yet to settle.
  static let mostBefore = Duration.milliseconds(22)
  /// SQLite takes a few milliseconds for so much search text, and as many again to merge it.
  static let mostBytes = 128 << 10
  private static let most = 4096

  private(set) var count = 32

  /// After a transaction of `done` changes that took so long.
  mutating func note(_ done: Int, _ time: Duration) {
    guard done > 0 else { return }
    let fitting = Double(done) * (Self.aim / max(time, .microseconds(1)))
    // Faster down than up: the next ones may be dearer.
    let wanted = min(fitting, Double(count * 2), Double(Self.most))
    count = max(1, Int(wanted))
  }
}
