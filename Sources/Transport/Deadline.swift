#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A point on the monotonic clock by which an operation must be done.
package struct Deadline: Sendable, Comparable {
  /// Nanoseconds since an arbitrary start, on the clock that poll(2) waits by.
  private let uptime: UInt64

  private init(uptime: UInt64) { self.uptime = uptime }

  /// Never passes.
  package static let distant = Deadline(uptime: .max)

  package static var now: Deadline { Deadline(uptime: clock()) }

  /// Negative, endless and undefined numbers are taken as now and distant.
  package static func after(seconds: Double) -> Deadline {
    guard seconds > 0 else { return now }
    guard seconds < 1e9 else { return distant }
    return Deadline(uptime: clock() + UInt64(seconds * 1e9))
  }

  /// On its clock, milliseconds since an arbitrary start.
  package static var clockMilliseconds: Int64 { Int64(clock() / 1_000_000) }

  package static func at(clockMilliseconds: Int64) -> Deadline {
    Deadline(uptime: UInt64(max(0, clockMilliseconds)) * 1_000_000)
  }

  package var hasPassed: Bool { uptime <= Self.clock() }

  /// What is left, rounded up so that a wait never ends early; at most an hour, so wait again after it.
  package var milliseconds: Int32 {
    let now = Self.clock()
    guard uptime > now else { return 0 }
    let left = uptime - now
    return left >= 3_600_000_000_000 ? 3_600_000 : Int32((left + 999_999) / 1_000_000)
  }

  package var secondsLeft: Double {
    let now = Self.clock()
    return uptime > now ? Double(uptime - now) / 1e9 : 0
  }

  package static func < (a: Deadline, b: Deadline) -> Bool { a.uptime < b.uptime }

  private static func clock() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
