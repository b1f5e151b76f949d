#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Nanoseconds since 1970 by the system's clock, the one that file times come from.
func wallClock() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Nanoseconds since an arbitrary start; no setting of the clock changes it.
func steadyClock() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
