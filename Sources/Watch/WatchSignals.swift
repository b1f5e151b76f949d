import MailCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The signals that a watch lives by, as bytes in a pipe that its loop waits at.
package enum WatchSignals {
  package enum Signal: Sendable {
    case stop, reload, lookAtOnce
    /// The process was stopped for a while, as in a sleep.
    case continued
  }

  private static let writeEnd = Atomic<Int32>(-1)

  /// Begins to catch them; call it once.
  ///
  /// - Returns: what ``read(_:)`` reads from; -1 where no pipe could be made.
  package static func begin() -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return -1 }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    writeEnd.store(ends[1], ordering: .releasing)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCONT] {
      SignalHandler.install(number) { WatchSignals.handle($0) }
    }
    return ends[0]
  }

  /// What came since the last call, in order; never waits.
  package static func read(_ descriptor: Int32) -> [Signal] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
    return bytes.prefix(max(0, count)).compactMap { byte in
      switch Int32(byte) {
      case SIGINT, SIGTERM: .stop
      case SIGHUP: .reload
      case SIGUSR1: .lookAtOnce
      case SIGCONT: .continued
      default: nil
      }
    }
  }

  /// Runs inside of the signal handler: nothing here allocates or locks.
  private static func handle(_ number: Int32) {
    let keptError = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
    errno = keptError
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int)
  -> Int
{
  read(descriptor, buffer, count)
}
