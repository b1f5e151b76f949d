/// How many messages become one batch: its files share a sync, and its records a commit.
struct BatchLimits: Sendable {
  struct Size {
    var messages: Int
    var bytes: Int64
  }

  /// Enough to share a sync among many.
  var large = Size(messages: 1000, bytes: 24 << 20)
  /// As much as memory should hold, for each connection.
  var largest = Size(messages: 2000, bytes: 48 << 20)
  /// What an interruption may cost where the line is fast: a disk takes one long sync sooner than many short ones.
  var patience = Duration.seconds(2)

  /// `MIRROR_BATCH_MESSAGES` makes batches small for tests, which have few messages.
  init(_ environment: [String: String]) {
    guard let messages = environment["MIRROR_BATCH_MESSAGES"].flatMap(Int.init) else { return }
    large.messages = max(1, messages)
    largest.messages = large.messages
  }

  func isFull(_ messages: Int, _ bytes: Int64, since begun: ContinuousClock.Instant) -> Bool {
    func holds(_ size: Size) -> Bool { messages >= size.messages || bytes >= size.bytes }
    return holds(largest) || holds(large) && begun.duration(to: .now) >= patience
  }
}
