import CFileCalls
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A moment by two clocks: the wall's, which people set and which jumps, and the time since the
/// system's start, which only means something until the next start.
package struct QueueInstant: Sendable, Hashable {
  /// Nanoseconds since 1970.
  package var wall: Int64
  /// Another value after every start of the system.
  package var boot: UInt64
  /// Nanoseconds since that start, sleep included.
  package var uptime: Int64

  package init(wall: Int64, boot: UInt64, uptime: Int64) {
    self.wall = wall
    self.boot = boot
    self.uptime = uptime
  }

  /// Unix seconds.
  package var seconds: Int64 {
    wall / 1_000_000_000 - (wall % 1_000_000_000 < 0 ? 1 : 0)
  }

  /// Nanoseconds from here to `later`, never negative: by the steady clock within one start of the
  /// system, else by the wall.
  package func elapsed(until later: QueueInstant) -> Int64 {
    if boot == later.boot { return max(0, later.uptime &- uptime) }
    return max(0, later.wall.subtractingReportingOverflow(wall).partialValue)
  }

  package static func now() -> QueueInstant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let wall = nanoseconds(time)
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &time)
    #else
      clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return QueueInstant(wall: wall, boot: currentBoot, uptime: nanoseconds(time))
  }

  private static let currentBoot = TemporaryName(TemporaryName.next())?.boot ?? 0

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

/// When the next attempt is due: so long after that moment.
package struct QueueDue: Sendable, Hashable {
  package var since: QueueInstant
  package var delaySeconds: Int64

  package init(since: QueueInstant, delaySeconds: Int64) {
    self.since = since
    self.delaySeconds = delaySeconds
  }

  package func isReached(at now: QueueInstant) -> Bool {
    since.elapsed(until: now) >= delaySeconds &* 1_000_000_000
  }

  /// Seconds from then on, rounded up.
  package func remaining(at now: QueueInstant) -> Int64 {
    max(0, delaySeconds &- since.elapsed(until: now) / 1_000_000_000)
  }

  /// Unix seconds by the wall clock, for people.
  package var seconds: Int64 { since.seconds &+ delaySeconds }
}

/// An attempt that failed is repeated after 30 s, 2 min and 8 min.
package enum RetrySchedule {
  package static let delays: [Int64] = [30, 120, 480]
  /// From the first attempt that reached the server, in nanoseconds.
  package static let timeout: Int64 = 24 * 3600 * 1_000_000_000

  /// The pause behind the attempt of this number (from 1), in seconds; nil: it was the last.
  package static func delay(after attempts: Int) -> Int64? {
    delays.indices.contains(attempts - 1) ? delays[attempts - 1] : nil
  }
}
