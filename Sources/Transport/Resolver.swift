import MailCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// getaddrinfo on a thread of its own: the call itself knows neither deadline nor interrupt.
///
/// When the caller has given up, the thread ends whenever the system answers; nobody waits for it.
final class Resolver: Sendable {
  private enum Answer: Sendable {
    case pending
    case addresses([SocketAddress])
    case failed(reason: String)
  }

  private let answer = Mutex(Answer.pending)
  private let done = Interrupt()

  /// In the order the system prefers, families interleaved (RFC 8305 §4).
  static func addresses(
    of endpoint: Endpoint, interrupt: Interrupt?, before deadline: Deadline
  ) throws(TransportError) -> [SocketAddress] {
    let resolver = Resolver()
    let body: @Sendable () -> Void = {
      let answer = Resolver.look(endpoint)
      resolver.answer.withLock { $0 = answer }
      resolver.done.trigger()
    }
    if Resolver.isNumeric(endpoint.host) || !startThread(name: "resolver", body) { body() }
    return try resolver.wait(for: endpoint, interrupt: interrupt, before: deadline)
  }

  private func wait(for endpoint: Endpoint, interrupt: Interrupt?, before deadline: Deadline)
    throws(TransportError) -> [SocketAddress]
  {
    if !done.isTriggered {
      switch Poll.wait(done.descriptor, Int16(POLLIN), interrupt: interrupt, before: deadline) {
      case .ready: break
      case .interrupted: throw .interrupted
      case .timedOut: throw .timedOut(.resolving, endpoint)
      case .failed(let code): throw .cannotResolve(endpoint, reason: systemReason(code))
      }
    }
    switch answer.withLock({ $0 }) {
    case .addresses(let addresses): return Self.interleaved(addresses)
    case .failed(let reason): throw .cannotResolve(endpoint, reason: reason)
    case .pending: throw .cannotResolve(endpoint, reason: "no answer")
    }
  }

  private static func isNumeric(_ host: String) -> Bool {
    var four = in_addr()
    var six = in6_addr()
    return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
  }

  private static func look(_ endpoint: Endpoint) -> Answer {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      hints.ai_flags = AI_NUMERICSERV
    #else
      hints.ai_socktype = SOCK_STREAM
      hints.ai_flags = AI_NUMERICSERV
    #endif
    // No AI_ADDRCONFIG: on a machine with nothing but loopback it would hide “localhost”.
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
    guard status == 0 else {
      let reason =
        status == EAI_SYSTEM ? systemReason(errno) : String(cString: gai_strerror(status))
      return .failed(reason: reason)
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = list
    while let info = entry?.pointee {
      if let address = info.ai_addr {
        let raw = UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
        addresses.append(SocketAddress(family: info.ai_family, bytes: Array(raw)))
      }
      entry = info.ai_next
    }
    return addresses.isEmpty
      ? .failed(reason: "no address found") : .addresses(Array(addresses.prefix(32)))
  }

  static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let family = addresses.first?.family else { return [] }
    var first = addresses.filter { $0.family == family }[...]
    var second = addresses.filter { $0.family != family }[...]
    var result: [SocketAddress] = []
    while !first.isEmpty || !second.isEmpty {
      if let address = first.popFirst() { result.append(address) }
      if let address = second.popFirst() { result.append(address) }
    }
    return result
  }
}
