#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells whether the machine has slept since the last look: one of its clocks stands still then, the other goes on.
package struct SleepClock: Sendable {
  /// How far the one is ahead.
  private var ahead: Int64

  /// What two calls one after the other may be apart on a busy machine is no sleep.
  private static let least: Int64 = 1000

  package init() { self.init(ahead: Self.now - Self.awake) }

  init(ahead: Int64) { self.ahead = ahead }

  /// Milliseconds since an arbitrary start, with all that the machine slept.
  package static var now: Int64 {
    #if os(Linux)
      milliseconds(CLOCK_BOOTTIME)
    #else
      milliseconds(CLOCK_MONOTONIC)
    #endif
  }

  /// The same without; poll(2) waits by it.
  package static var awake: Int64 {
    #if os(Linux)
      milliseconds(CLOCK_MONOTONIC)
    #else
      milliseconds(CLOCK_UPTIME_RAW)
    #endif
  }

  /// How long it has slept since the last call; nil where it has not.
  package mutating func slept() -> Duration? { slept(ahead: Self.now - Self.awake) }

  mutating func slept(ahead now: Int64) -> Duration? {
    let slept = now - ahead
    ahead = now
    return slept >= Self.least ? .milliseconds(slept) : nil
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
