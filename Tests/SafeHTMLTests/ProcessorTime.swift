#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How long this thread works at something: what others do meanwhile is none of it.
func processorTime(_ work: () throws -> Void) rethrows -> Duration {
  let begun = processorTime()
  try work()
  return processorTime() - begun
}

private func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
