#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Starts a detached thread; false where the system gives no more threads, and then `run` is not called.
///
/// Foundation's `Thread` says nothing of that case: who waits for such a thread waits for ever.
///
/// - Parameters:
///   - name: for debuggers and top; Linux keeps 15 bytes of it.
///   - stack: its size, in MiB.
package func startThread(
  name: String, stack: Int = 2, _ run: @escaping @Sendable () -> Void
) -> Bool {
  createThread(ThreadBody(name: name, run: run), stack: stack, PTHREAD_CREATE_DETACHED) != nil
}

/// Calls `work` with each number below `count`, each on a thread of its own, the first on this one, and returns when all
/// are through. What the system gives no thread for is done on this one, after the first.
///
/// Not by Dispatch: once that has threads of its own, it wakes the process each second for as long as this lives, and a
/// watch is to sleep.
package func onThreads(
  _ count: Int, stack: Int = 2, _ work: @escaping @Sendable (Int) -> Void
) {
  guard count > 0 else { return }
  var begun: [pthread_t] = []
  var others = 1..<count
  while let number = others.first {
    let body = ThreadBody(name: nil) { work(number) }
    guard let thread = createThread(body, stack: stack, PTHREAD_CREATE_JOINABLE) else { break }
    begun.append(thread)
    others = others.dropFirst()
  }
  work(0)
  for number in others { work(number) }
  for thread in begun { pthread_join(thread, nil) }
}

private final class ThreadBody {
  let name: String?
  let run: () -> Void

  init(name: String?, run: @escaping () -> Void) { (self.name, self.run) = (name, run) }
}

private func createThread(
  _ body: ThreadBody, stack: Int, _ kind: some BinaryInteger
) -> pthread_t? {
  var attributes = pthread_attr_t()
  guard pthread_attr_init(&attributes) == 0 else { return nil }
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(kind))
  pthread_attr_setstacksize(&attributes, stack << 20)

  let body = Unmanaged.passRetained(body)
  #if canImport(Glibc)
    var thread = pthread_t()
  #else
    var thread: pthread_t?
  #endif
  guard pthread_create(&thread, &attributes, threadMain, body.toOpaque()) == 0 else {
    body.release()
    return nil
  }
  return thread
}

#if canImport(Glibc)
  private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    if let name = body.name { setName(name) }
    body.run()
    return nil
  }

  /// The Glibc module hides pthread_setname_np, which is a GNU extension.
  private func setName(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    _ = Array(name.utf8.prefix(15)).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
  }
#else
  private func threadMain(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    if let name = body.name { pthread_setname_np(name) }
    body.run()
    return nil
  }
#endif
