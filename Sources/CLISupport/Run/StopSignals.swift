import Foundation
import MailCore
import Synchronization

/// SIGINT, SIGTERM and SIGHUP ask the run to stop; a second one ends the process at once.
///
/// The handler only touches atomics and a pipe; `stop` runs on a thread of its own.
package enum StopSignals {
  private static let caught = Atomic<Int32>(0)
  private static let pipeEnd = Atomic<Int32>(-1)

  /// The signal that asked to stop; nil while none did.
  package static var received: Int32? {
    let number = caught.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// Call once, at the start. `stop` is called at most once.
  package static func watch(_ stop: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    pipeEnd.store(ends[1], ordering: .releasing)
    let readEnd = ends[0]
    let hasStarted = startThread(name: "signals") {
      var byte: UInt8 = 0
      while read(readEnd, &byte, 1) < 0, errno == EINTR {}
      stop()
    }
    // Without it the first signal ends the process, as it does to others.
    guard hasStarted else { return }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      SignalHandler.install(number) { StopSignals.handle($0) }
    }
  }

  /// Runs inside of the signal handler: nothing here allocates or locks.
  private static func handle(_ number: Int32) {
    let first = caught.compareExchange(
      expected: 0, desired: number, ordering: .acquiringAndReleasing
    ).exchanged
    guard first else { _exit(128 + number) }
    let keptError = errno
    var byte: UInt8 = 1
    _ = write(pipeEnd.load(ordering: .acquiring), &byte, 1)
    errno = keptError
  }
}
