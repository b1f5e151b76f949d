import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ends every wait of every stream that holds it, from any thread or from a signal handler.
///
/// A pipe wakes threads in poll(2); the flag is looked at before each read. Both stay set.
package final class Interrupt: Sendable {
  private let flag = Atomic<Bool>(false)
  /// -1 where no pipe could be made; then waits look at the flag every 50 ms.
  let descriptor: Int32
  private let writeEnd: Int32

  package init() {
    var ends: (Int32, Int32) = (-1, -1)
    let made = withUnsafeMutableBytes(of: &ends) { bytes in
      bytes.baseAddress.map { pipe($0.assumingMemoryBound(to: Int32.self)) } ?? -1
    }
    descriptor = made == 0 ? ends.0 : -1
    writeEnd = made == 0 ? ends.1 : -1
    for end in [descriptor, writeEnd] where end >= 0 {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if writeEnd >= 0 { close(writeEnd) }
  }

  package var isTriggered: Bool { flag.load(ordering: .acquiring) }

  /// Safe in a signal handler: an atomic store and one write(2), errno kept.
  package func trigger() {
    let kept = errno
    flag.store(true, ordering: .releasing)
    var byte: UInt8 = 1
    if writeEnd >= 0 { _ = write(writeEnd, &byte, 1) }  // a full pipe is readable already
    errno = kept
  }
}
