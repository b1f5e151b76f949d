import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A port that nobody listens on at this moment, below those that systems give to outgoing connections: no connection
/// of anybody's takes it before a server does.
package func freePort() throws -> UInt16 {
  for _ in 0..<200 {
    let port = UInt16.random(in: 10_000..<32_000)
    if try isFree(port) { return port }
  }
  throw KitError("no free port")
}

/// Waits until a port answers.
package func waitForPort(_ port: UInt16, limit: Double = 60) throws {
  let end = monotonicSeconds() + limit
  while true {
    if (try? Socket(connectingTo: port)) != nil { return }
    guard monotonicSeconds() < end else { throw KitError("nobody answers at port \(port)") }
    pause(0.01)
  }
}

/// Somebody was quicker to take the port that a server was to have; the server's log may say so.
struct PortTaken: Error, CustomStringConvertible {
  let log: String
  var description: String { "the server ended at once: \(log)" }
}

/// It stays, and nobody answers.
struct ServerSilent: Error, CustomStringConvertible {
  let log: String
  var description: String { "the server does not come up: \(log)" }
}

/// Starts a server at ports that it picks anew where somebody was quicker, or where it does not come up: what fails once
/// would fail for all tests that share the server.
func atFreePorts<Server>(_ start: () throws -> Server) throws -> Server {
  for _ in 0..<5 {
    do {
      return try start()
    } catch is PortTaken {
      continue
    } catch is ServerSilent {
      continue
    }
  }
  return try start()
}

/// Waits until a server has its ports, which it shows in a way that no other server at them can.
///
/// - Throws: ``PortTaken`` where its log says so, or it is over already; ``ServerSilent`` after the limit.
func waitForServer(
  limit: Double = 30, log: () -> String, hasEnded: () -> Bool = { false }, isUp: () -> Bool
) throws {
  let end = monotonicSeconds() + limit
  while !isUp() {
    let text = log()
    if hasEnded() || text.lowercased().contains("address already in use") {
      throw PortTaken(log: text)
    }
    guard monotonicSeconds() < end else { throw ServerSilent(log: text) }
    pause(0.01)
  }
}

/// Whether the first line that a server at this port says holds a text.
func greeting(at port: UInt16, holds text: String) -> Bool {
  guard let socket = try? Socket(connectingTo: port), socket.isReadable(within: 2) else {
    return false
  }
  return String(decoding: socket.read(limit: 1000), as: UTF8.self).contains(text)
}
