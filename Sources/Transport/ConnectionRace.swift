#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tries a server's addresses one after the other without letting a dead one hold up the rest
/// (RFC 8305 §5): the next starts when one fails, or after a quarter of a second; the first that answers
/// wins.
struct ConnectionRace: ~Copyable {
  static let headStart = 0.25  // seconds

  struct Attempt {
    let descriptor: Int32
    let address: SocketAddress
  }

  private let endpoint: Endpoint
  private let interrupt: Interrupt?
  private var waiting: ArraySlice<SocketAddress>
  private var running: [Attempt] = []
  private var failure: TransportError?

  /// - Parameters:
  ///   - place: a name or an address to connect to in place of the endpoint's host.
  ///   - onlyPublic: whether addresses of this machine and of networks of one's own are left out.
  static func connect(
    _ endpoint: Endpoint, at place: String? = nil, onlyPublic: Bool = false,
    interrupt: Interrupt?, before deadline: Deadline
  ) throws(TransportError) -> Socket {
    var addresses = try Resolver.addresses(
      of: place.map { Endpoint(host: $0, port: endpoint.port) } ?? endpoint, interrupt: interrupt,
      before: deadline)
    if onlyPublic {
      addresses.removeAll { !$0.isPublic }
      if addresses.isEmpty { throw .unreachable(endpoint, reason: "it has no public address") }
    }
    var race = ConnectionRace(endpoint: endpoint, interrupt: interrupt, addresses: addresses)
    let winner = try race.winner(before: deadline)
    return Socket(
      descriptor: winner.descriptor, peer: winner.address, endpoint: endpoint,
      interrupt: interrupt)
  }

  init(endpoint: Endpoint, interrupt: Interrupt?, addresses: [SocketAddress]) {
    self.endpoint = endpoint
    self.interrupt = interrupt
    waiting = addresses[...]
  }

  deinit {
    for attempt in running { closeDescriptor(attempt.descriptor) }
  }

  mutating func winner(before deadline: Deadline) throws(TransportError) -> Attempt {
    while true {
      if let interrupt, interrupt.isTriggered { throw .interrupted }
      if let address = waiting.popFirst(), let winner = start(address) { return winner }
      if running.isEmpty {
        if waiting.isEmpty { throw failure ?? .unreachable(endpoint, reason: "no address") }
        continue
      }
      if let winner = try decision(before: deadline) { return winner }
    }
  }

  /// Waits until one attempt has its result or the next may start.
  private mutating func decision(before deadline: Deadline) throws(TransportError) -> Attempt? {
    let stop = waiting.isEmpty ? deadline : min(deadline, .after(seconds: Self.headStart))
    let watched = running
    let (outcome, decided) = withUnsafeTemporaryAllocation(
      of: pollfd.self, capacity: watched.count + 1
    ) { entries in
      entries.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
      for (index, attempt) in watched.enumerated() {
        entries[index] = pollfd(fd: attempt.descriptor, events: Int16(POLLOUT), revents: 0)
      }
      let outcome = Poll.wait(entries, interrupt: interrupt, before: stop)
      return (outcome, watched.indices.filter { entries[$0].revents != 0 }.map { watched[$0] })
    }
    switch outcome {
    case .ready: break
    case .interrupted: throw .interrupted
    case .timedOut:
      if deadline.hasPassed {
        note(ETIMEDOUT)
        throw failure ?? .timedOut(.connecting, endpoint)
      }
    case .failed(let code): throw .io(endpoint, reason: systemReason(code))
    }
    for attempt in decided {
      running.removeAll { $0.descriptor == attempt.descriptor }
      let code = pendingError(attempt.descriptor)
      if code == 0 { return attempt }
      note(code)
      closeDescriptor(attempt.descriptor)
    }
    return nil
  }

  /// Returns the attempt if it connected at once.
  private mutating func start(_ address: SocketAddress) -> Attempt? {
    guard let descriptor = openSocket(address.family) else { return nil }
    let status = address.bytes.withUnsafeBytes { raw -> Int32 in
      guard let base = raw.baseAddress else { return -1 }
      return connectSocket(
        descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    let attempt = Attempt(descriptor: descriptor, address: address)
    if status == 0 { return attempt }
    if errno == EINPROGRESS || errno == EINTR {
      running.append(attempt)
    } else {
      note(errno)
      closeDescriptor(descriptor)
    }
    return nil
  }

  private mutating func openSocket(_ family: Int32) -> Int32? {
    #if canImport(Glibc)
      // At once: another thread may start a child process at any moment.
      let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      let descriptor = socket(family, Int32(kind), 0)
    #else
      let descriptor = socket(family, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else {
      note(errno)
      return nil
    }
    #if !canImport(Glibc)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    #endif
    SocketOptions.set(on: descriptor)
    return descriptor
  }

  /// Keeps the most telling failure: a refusal says more than a missing route.
  private mutating func note(_ code: Int32) {
    switch code {
    case ECONNREFUSED: failure = .refused(endpoint)
    case ETIMEDOUT:
      if case .refused = failure { return }
      failure = .timedOut(.connecting, endpoint)
    default:
      if failure == nil { failure = .unreachable(endpoint, reason: systemReason(code)) }
    }
  }

  private func pendingError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
    return code
  }
}

// `connect` is also the name of the function that starts a race.
private func connectSocket(
  _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 {
  connect(descriptor, address, length)
}
