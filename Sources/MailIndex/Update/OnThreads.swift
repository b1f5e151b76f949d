#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Calls `work` with each number below `count`, each on a thread of its own, the first on this one, and returns when all
/// are through.
///
/// Not by Dispatch: once that has threads of its own, it wakes the process each second for as long as this lives, and a
/// watch is to sleep.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
  guard count > 0 else { return }
  var begun: [pthread_t] = []
  var others = 1..<count
  while let number = others.first, let thread = start({ work(number) }) {
    begun.append(thread)
    others = others.dropFirst()
  }
  work(0)
  // Those for which the system gave no thread.
  for number in others { work(number) }
  for thread in begun { pthread_join(thread, nil) }
}

private final class Body {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}

private func start(_ run: @escaping () -> Void) -> pthread_t? {
  let body = Unmanaged.passRetained(Body(run))
  #if canImport(Glibc)
    var thread = pthread_t()
    let status = pthread_create(&thread, nil, runBody, body.toOpaque())
  #else
    var thread: pthread_t?
    let status = pthread_create(&thread, nil, runBody, body.toOpaque())
  #endif
  guard status == 0 else {
    body.release()
    return nil
  }
  return thread
}

#if canImport(Glibc)
  private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    body.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }?.run()
    return nil
  }
#else
  private func runBody(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
    return nil
  }
#endif
