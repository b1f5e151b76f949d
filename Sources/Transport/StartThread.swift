#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private final class ThreadBody {
  let name: String
  let run: @Sendable () -> Void

  init(name: String, run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

/// Starts a detached thread with a stack of 2 MiB; false where the system gives no more threads.
///
/// The name shows in debuggers and top; Linux keeps 15 bytes of it.
package func startThread(name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
  var attributes = pthread_attr_t()
  guard pthread_attr_init(&attributes) == 0 else { return false }
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  pthread_attr_setstacksize(&attributes, 2 << 20)

  let body = Unmanaged.passRetained(ThreadBody(name: name, run: run))
  #if canImport(Glibc)
    var thread = pthread_t()
    let status = pthread_create(&thread, &attributes, threadMain, body.toOpaque())
  #else
    var thread: pthread_t?
    let status = pthread_create(&thread, &attributes, threadMain, body.toOpaque())
  #endif
  if status != 0 { body.release() }
  return status == 0
}

#if canImport(Glibc)
  private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    setName(body.name)
    body.run()
    return nil
  }

  /// The Glibc module hides pthread_setname_np, which is a GNU extension.
  private func setName(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { closeDescriptor(file) }
    _ = Array(name.utf8.prefix(15)).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
  }
#else
  private func threadMain(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    pthread_setname_np(body.name)
    body.run()
    return nil
  }
#endif
