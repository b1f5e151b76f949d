#if os(Linux)
  import CWatchCalls
  import Glibc

  /// Wakes who waits by poll(2) when the machine has: the system sets its clock then. Somebody else may set it, too, so it is
  /// for ``SleepClock`` to say what it was.
  package final class ClockAlarm {
    package let descriptor: Int32

    /// Nil where the system has no such timer.
    package init?() {
      let descriptor = watch_open_alarm()
      guard descriptor >= 0 else { return nil }
      guard watch_wind_alarm(descriptor) == 0 else {
        close(descriptor)
        return nil
      }
      self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether the clock was set since the last call; never waits.
    package func read() -> Bool {
      var ends: UInt64 = 0
      guard Glibc.read(descriptor, &ends, MemoryLayout<UInt64>.size) < 0, errno == ECANCELED else {
        return false
      }
      _ = watch_wind_alarm(descriptor)
      return true
    }
  }
#else
  /// Nobody is woken here by the clock.
  package final class ClockAlarm {
    package let descriptor: Int32 = -1
    package init?() { return nil }
    package func read() -> Bool { false }
  }
#endif
