import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Wakes a thread that waits in poll(2), from any other thread or from a signal handler.
package final class Doorbell: Sendable {
  private let hasRung = Atomic<Bool>(false)
  /// -1 where no pipe could be made; whoever waits then has to look now and then.
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

  var isRinging: Bool { hasRung.load(ordering: .acquiring) }

  /// Safe in a signal handler: an atomic store and one write(2), errno kept.
  package func ring() {
    let kept = errno
    hasRung.store(true, ordering: .releasing)
    var byte: UInt8 = 1
    if writeEnd >= 0 { _ = write(writeEnd, &byte, 1) }  // a full pipe is readable already
    errno = kept
  }

  /// Whether it was rung since it was last answered, however often.
  func answer() -> Bool {
    var byte: UInt8 = 0
    while descriptor >= 0, read(descriptor, &byte, 1) > 0 {}
    return hasRung.exchange(false, ordering: .acquiringAndReleasing)
  }
}
