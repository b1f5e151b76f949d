import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Carries values from any thread to the loop, which poll(2) wakes.
package final class EventPipe<Event: Sendable>: Sendable {
  private let waiting = Mutex<[Event]>([])
  package let descriptor: Int32
  private let writeEnd: Int32

  /// Nil where the process can have no further files open.
  package init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writeEnd)
  }

  package func post(_ event: Event) {
    let wasEmpty = waiting.withLock { waiting in
      waiting.append(event)
      return waiting.count == 1
    }
    guard wasEmpty else { return }
    var byte: UInt8 = 1
    while write(writeEnd, &byte, 1) < 0, errno == EINTR {}
  }

  /// What was posted since the last call; never waits.
  package func read() -> [Event] {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while true {
      let count = bytes.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
      if count <= 0, errno != EINTR { break }
      if count == 0 { break }
    }
    return waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int)
  -> Int
{
  read(descriptor, buffer, count)
}
