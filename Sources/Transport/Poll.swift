#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// poll(2) with a deadline and an interrupt.
enum Poll {
  enum Outcome: Equatable {
    case ready, timedOut, interrupted
    case failed(Int32)
  }

  /// Waits for one descriptor; errors and hang-ups count as ready, the next call on it tells.
  static func wait(
    _ descriptor: Int32, _ events: Int16, interrupt: Interrupt?, before deadline: Deadline
  ) -> Outcome {
    withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { entries in
      entries.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
      entries[0] = pollfd(fd: descriptor, events: events, revents: 0)
      return wait(entries, interrupt: interrupt, before: deadline)
    }
  }

  /// Waits for any of `entries`; the last one is free, for the interrupt.
  static func wait(
    _ entries: UnsafeMutableBufferPointer<pollfd>, interrupt: Interrupt?, before deadline: Deadline
  ) -> Outcome {
    let last = entries.count - 1
    entries[last] = pollfd(fd: interrupt?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    while true {
      if let interrupt, interrupt.isTriggered { return .interrupted }
      var limit = deadline.milliseconds
      if let interrupt, interrupt.descriptor < 0 { limit = min(limit, 50) }
      let count = poll(entries.baseAddress, nfds_t(entries.count), limit)
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        return .failed(errno)
      }
      if entries.dropLast().contains(where: { $0.revents != 0 }) { return .ready }
      if count == 0, deadline.hasPassed { return .timedOut }
    }
  }
}
