#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A pipe that holds some bytes and then ends, for a child to read. Closed with its last reference.
package final class FilledPipe: Sendable {
  package let readEnd: Int32

  /// Nil for more than a pipe can hold: nobody would empty it.
  package init?(_ bytes: [UInt8]) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    readEnd = ends[0]
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    guard write(ends[1], bytes, bytes.count) == bytes.count else { return nil }
  }

  deinit { close(readEnd) }
}
