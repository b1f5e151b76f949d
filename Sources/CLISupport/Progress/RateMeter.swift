/// Bytes per second over the last few seconds, steady enough to read and quick enough to follow a change.
package struct RateMeter: Sendable {
  private var samples: [(time: Double, bytes: Int64)] = []
  private static let span = 5.0  // seconds

  package init() {}

  /// `bytes` counts from the start of the run, `time` in seconds on any steady clock.
  package mutating func note(bytes: Int64, at time: Double) {
    if let last = samples.last, time - last.time < 0.1 { samples.removeLast() }
    samples.append((time, bytes))
    while samples.count > 2, let first = samples.first, time - first.time > Self.span {
      samples.removeFirst()
    }
  }

  /// Nil until there is something to go by.
  package var bytesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last, last.time - first.time >= 0.2 else {
      return nil
    }
    return max(0, Double(last.bytes - first.bytes)) / (last.time - first.time)
  }
}
