/// Waits between attempts that failed. They are longer each time, and differ by up to a fifth, so that many clients do not
/// come back to a server in the same second.
struct Backoff: Equatable, Sendable {
  private let waits: [Duration]
  private var failures = 0
  private var jitter: Jitter

  static func connection(seed: UInt64) -> Backoff {
    Backoff(waits: [5, 15, 45, 120, 300, 900].map(Duration.seconds), seed: seed)
  }

  /// For a run that did its work in part.
  static func leftovers(seed: UInt64) -> Backoff {
    Backoff(waits: [60, 120, 300, 900].map(Duration.seconds), seed: seed)
  }

  private init(waits: [Duration], seed: UInt64) {
    self.waits = waits
    jitter = Jitter(state: seed)
  }

  mutating func succeeded() { failures = 0 }

  /// - Returns: when to try again.
  mutating func failed(at now: Moment) -> Moment {
    let wait = waits[min(failures, waits.count - 1)]
    failures += 1
    return now + wait * (0.8 + 0.4 * jitter.next())
  }
}

/// Numbers from 0 to 1 that look random; the same ones for the same seed (SplitMix64).
private struct Jitter: Equatable, Sendable {
  var state: UInt64

  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) / Double(1 << 53)
  }
}
