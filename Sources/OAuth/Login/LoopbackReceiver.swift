import MailCore
import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Waits on this machine for the browser that brings the answer of a log-in, and for nothing else.
///
/// One answer ends it. Other paths are answered 404, other log-ins' answers 400; what asks learns nothing.
final class LoopbackReceiver {
  /// To be told to the provider.
  let redirectURL: String
  private let address: RedirectAddress
  private let sockets: [LoopbackSocket]
  private var connections: [Connection] = []

  private struct Connection {
    let descriptor: Int32
    var bytes: [UInt8] = []
    let deadline = Deadline.after(seconds: 10)
  }

  private static let headLimit = 16 << 10
  /// Browsers open some that they never use.
  private static let connectionLimit = 16

  init(_ address: RedirectAddress) throws(OAuthError) {
    self.address = address
    sockets = try Self.listening(at: address, attempts: address.port == nil ? 20 : 1)
    redirectURL = address.url(port: sockets.first?.port ?? 0)
  }

  /// - Parameter attempts: for ports that are free in one family alone.
  private static func listening(at address: RedirectAddress, attempts: Int) throws(OAuthError)
    -> [LoopbackSocket]
  {
    var left = attempts
    while true {
      do throws(LoopbackSocket.Failure) {
        return try listening(at: address)
      } catch {
        left -= 1
        guard error.code == EADDRINUSE, left > 0 else {
          throw .cannotListen(url: address.url(port: address.port ?? 0), reason: error.reason)
        }
      }
    }
  }

  /// One port in every family that this machine has: where it lacks one, the other is enough. A port that somebody else
  /// has in one of them will not do, because the browser would bring the answer there.
  private static func listening(at address: RedirectAddress) throws(LoopbackSocket.Failure)
    -> [LoopbackSocket]
  {
    var sockets: [LoopbackSocket] = []
    var failure: LoopbackSocket.Failure?
    for family in address.families {
      do throws(LoopbackSocket.Failure) {
        sockets.append(
          try LoopbackSocket(family, port: sockets.first?.port ?? address.port ?? 0))
      } catch {
        if error.code == EADDRINUSE { throw error }
        failure = error
      }
    }
    if sockets.isEmpty, let failure { throw failure }
    return sockets
  }

  deinit {
    for connection in connections { close(connection.descriptor) }
  }

  /// The code that the browser brings.
  ///
  /// - Parameters:
  ///   - state: what the answer has to repeat.
  ///   - foreign: told once of answers that belong to another log-in: any page that is open in a browser can send some.
  /// - Throws: ``OAuthError/refused(_:)`` where the person or the provider said no, ``OAuthError/browserSilent(seconds:)``.
  func code(
    state: String, waitSeconds: Int, isCancelled: () -> Bool, foreign: () -> Void = {}
  ) throws(OAuthError) -> Secret {
    let deadline = Deadline.after(seconds: Double(waitSeconds))
    var isToldOfForeign = false
    while true {
      if isCancelled() { throw .interrupted }
      if deadline.hasPassed { throw .browserSilent(seconds: waitSeconds) }
      for request in requests(within: min(deadline.milliseconds, 200), state: state) {
        switch request {
        case .code(let code): return code
        case .refused(let refusal): throw OAuthError(refusal)
        case .foreignState:
          if !isToldOfForeign { foreign() }
          isToldOfForeign = true
        case .otherPath, .otherMethod, .malformed: break
        }
      }
    }
  }

  /// Everything that was asked since the last look, answered already.
  private func requests(within milliseconds: Int32, state: String) -> [CallbackRequest] {
    var entries = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    entries += connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let count = poll(&entries, nfds_t(entries.count), milliseconds)
    guard count > 0 else {
      dropStale()
      return []
    }
    var heard: [CallbackRequest] = []
    var open: [Connection] = []
    for (connection, entry) in zip(connections, entries.dropFirst(sockets.count)) {
      var connection = connection
      guard entry.revents != 0 else {
        open.append(connection)
        continue
      }
      switch Self.read(&connection) {
      case .more: open.append(connection)
      case .ended: close(connection.descriptor)
      case .head(let head):
        let request = CallbackRequest(head: head, path: address.requestPath, state: state)
        heard.append(request)
        answer(connection, CallbackPage(request))
      case .tooLong: answer(connection, CallbackPage(.malformed))
      }
    }
    connections = open
    dropStale()
    for (socket, entry) in zip(sockets, entries) where entry.revents != 0 { take(from: socket) }
    return heard
  }

  private func take(from socket: LoopbackSocket) {
    while let descriptor = socket.accepted() {
      if connections.count >= Self.connectionLimit {
        close(connections.removeFirst().descriptor)
      }
      connections.append(Connection(descriptor: descriptor))
    }
  }

  private func dropStale() {
    let stale = connections.filter { $0.deadline.hasPassed }
    guard !stale.isEmpty else { return }
    for connection in stale { close(connection.descriptor) }
    let gone = Set(stale.map(\.descriptor))
    connections.removeAll { gone.contains($0.descriptor) }
  }

  private enum Reading {
    case more, ended, tooLong
    case head([UInt8])
  }

  private static func read(_ connection: inout Connection) -> Reading {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = recv(connection.descriptor, &chunk, chunk.count, 0)
    if count < 0 { return errno == EAGAIN || errno == EINTR ? .more : .ended }
    if count == 0 { return .ended }
    connection.bytes += chunk[..<count]
    if let end = endOfHead(connection.bytes) { return .head(Array(connection.bytes[..<end])) }
    return connection.bytes.count > headLimit ? .tooLong : .more
  }

  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    let end = Array("\r\n\r\n".utf8)
    guard bytes.count >= end.count else { return nil }
    return (0...(bytes.count - end.count)).first { bytes[$0..<($0 + end.count)].elementsEqual(end) }
  }

  /// A page fits into any socket's buffer, so nothing waits here.
  private func answer(_ connection: Connection, _ page: CallbackPage) {
    let bytes = page.bytes
    #if canImport(Glibc)
      _ = send(connection.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    #else
      _ = send(connection.descriptor, bytes, bytes.count, 0)
    #endif
    close(connection.descriptor)
  }
}
