#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A connected, non-blocking TCP socket whose waits end at a deadline or an interrupt.
final class Socket {
  enum Readiness { case readable, writable }

  /// A result of one system call that never waits.
  enum Outcome {
    case moved(Int)
    case wouldBlock
    case ended
    case failed(Int32)
  }

  let endpoint: Endpoint
  /// What was connected to: the socket itself forgets it when the peer resets the connection.
  let peer: SocketAddress
  /// Of whoever uses it now.
  var interrupt: Interrupt?
  private(set) var descriptor: Int32
  private(set) var bytesReceived: UInt64 = 0
  private(set) var bytesSent: UInt64 = 0
  /// For the TLS layer, which sees no more than "failed": what the last call here met.
  var lastError: Int32 = 0
  var sawEnd = false

  var dropsUnsentBytes = false {
    didSet {
      if dropsUnsentBytes != oldValue {
        SocketOptions.dropUnsentBytes(dropsUnsentBytes, on: descriptor)
      }
    }
  }

  /// Takes over `descriptor`.
  init(descriptor: Int32, peer: SocketAddress, endpoint: Endpoint, interrupt: Interrupt?) {
    self.descriptor = descriptor
    self.peer = peer
    self.endpoint = endpoint
    self.interrupt = interrupt
  }

  deinit { close() }

  func close() {
    guard descriptor >= 0 else { return }
    closeDescriptor(descriptor)
    descriptor = -1
  }

  func receive(_ base: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
    while true {
      let received = recv(descriptor, base, count, 0)
      if received > 0 {
        bytesReceived += UInt64(received)
        return .moved(received)
      }
      if received == 0 { return .ended }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      case let code: return .failed(code)
      }
    }
  }

  func send(_ base: UnsafeRawPointer, _ count: Int) -> Outcome {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0  // SO_NOSIGPIPE is set on the socket
    #endif
    while true {
      let sent = sendBytes(descriptor, base, count, flags)
      if sent >= 0 {
        bytesSent += UInt64(sent)
        return .moved(sent)
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      case let code: return .failed(code)
      }
    }
  }

  /// Whether the peer has sent something that nobody has read yet.
  func hasUnreadBytes() -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
  }

  func throwIfInterrupted() throws(TransportError) {
    if let interrupt, interrupt.isTriggered { throw .interrupted }
  }

  func wait(
    for readiness: Readiness, before deadline: Deadline, _ activity: TransportError.Activity
  ) throws(TransportError) {
    let events = Int16(readiness == .readable ? POLLIN : POLLOUT)
    switch Poll.wait(descriptor, events, interrupt: interrupt, before: deadline) {
    case .ready: return
    case .interrupted: throw .interrupted
    case .timedOut: throw .timedOut(activity, endpoint)
    case .failed(let code): throw .io(endpoint, reason: systemReason(code))
    }
  }

  func waitForBytes(or bell: Doorbell, before deadline: Deadline) throws(TransportError) -> ByteWait
  {
    let limit = bell.descriptor < 0 ? min(deadline, .after(seconds: 0.5)) : deadline
    let outcome = withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 3) { entries in
      entries.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
      entries[0] = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      entries[1] = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
      return Poll.wait(entries, interrupt: interrupt, before: limit)
    }
    switch outcome {
    case .interrupted: throw .interrupted
    case .failed(let code): throw .io(endpoint, reason: systemReason(code))
    case .ready, .timedOut: break
    }
    if bell.answer() { return .rung }
    return outcome == .ready ? .bytes : .timedOut
  }

  /// Bytes sent that the peer's system has not acknowledged.
  var unacknowledged: Int {
    var count: Int32 = 0
    #if canImport(Glibc)
      let status = ioctl(descriptor, UInt(TIOCOUTQ), &count)
    #else
      var size = socklen_t(MemoryLayout<Int32>.size)
      let status = getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size)
    #endif
    return status == 0 ? Int(count) : 0
  }

  func error(_ code: Int32) -> TransportError {
    switch code {
    case ECONNRESET, EPIPE: .reset(endpoint)
    case ETIMEDOUT: .timedOut(.reading, endpoint)  // nobody acknowledges anything
    default: .io(endpoint, reason: systemReason(code))
    }
  }
}

// The class has methods of these names, which hide the system's.
private func sendBytes(_ fd: Int32, _ base: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
  send(fd, base, count, flags)
}

func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
