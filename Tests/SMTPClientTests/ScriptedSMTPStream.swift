import Foundation
import SASL
import Transport

/// A server that follows a written dialogue: `S: ` it says, `C: ` it expects (`…` at the end: anything
/// from there on), `TLS` the handshake, `CLOSE` the end. Message lines are `C: ` lines, too.
final class ScriptedSMTPStream: ByteStream {
  enum Step: Equatable {
    case server(String)
    case client(String)
    case tls, close
  }
  struct Deviation: Error, CustomStringConvertible { var description: String }

  private var steps: ArraySlice<Step>
  private var received: [UInt8] = []
  private var pending: [UInt8] = []
  private(set) var isClosed = false
  private(set) var lines: [String] = []
  private(set) var bytes: [UInt8] = []
  /// Bytes that were written while the log was blind, or in other words.
  private(set) var logged: [String?] = []
  private(set) var waits = 0
  private var hasWritten = true
  var chunk = Int.max
  /// Where the script has nothing to say, the server is silent until the deadline.
  var isSilentAtEnd = false
  /// Seconds before each read brings something.
  var pause = 0.0
  /// The connection is gone once so many bytes were written.
  var diesBehind = Int.max
  /// Sizes of what was written at once.
  private(set) var writes: [Int] = []

  var isEncrypted = true
  var isPeerLoopback = false
  var hidesTraffic = false
  func hide(_ mask: SecretMask) {}
  var preferredChannelBinding: ChannelBinding? { nil }

  init(_ script: String) {
    steps =
      script.split(separator: "\n").compactMap { line -> Step? in
        if line.hasPrefix("S: ") { return .server(String(line.dropFirst(3))) }
        if line.hasPrefix("C: ") { return .client(String(line.dropFirst(3))) }
        return line == "TLS" ? .tls : line == "CLOSE" ? .close : nil
      }[...]
  }

  var rest: [Step] { Array(steps) }

  func read(into room: UnsafeMutableRawBufferPointer, before deadline: Deadline) throws -> Int {
    if hasWritten { waits += 1 }
    hasWritten = false
    while case .server(let line)? = steps.first {
      steps.removeFirst()
      pending += Array((line + "\r\n").utf8)
    }
    if pause > 0 || isSilentAtEnd && pending.isEmpty {
      let begun = Date()
      while !deadline.hasPassed, pending.isEmpty || Date().timeIntervalSince(begun) < pause {
        usleep(2000)
      }
      if deadline.hasPassed {
        throw TransportError.timedOut(.reading, Endpoint(host: "x", port: 1))
      }
    }
    let count = min(room.count, pending.count, chunk)
    room.copyBytes(from: pending.prefix(count))
    pending.removeFirst(count)
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?) throws {
    hasWritten = true
    guard self.bytes.count + bytes.count <= diesBehind else {
      throw TransportError.reset(Endpoint(host: "x", port: 1))
    }
    writes.append(bytes.count)
    logged.append(hidesTraffic ? "hidden" : logAs)
    received += Array(bytes)
    self.bytes += Array(bytes)
    while let end = received.firstIndex(of: 10) {
      let line = String(decoding: received[..<end].filter { $0 != 13 }, as: UTF8.self)
      received.removeSubrange(...end)
      lines.append(line)
      try expect(line)
    }
  }

  private func expect(_ line: String) throws {
    while case .server(let words)? = steps.first {
      steps.removeFirst()
      pending += Array((words + "\r\n").utf8)
    }
    switch steps.first {
    case .close: throw TransportError.reset(Endpoint(host: "x", port: 1))
    case .client(let wanted):
      steps.removeFirst()
      let isRight = wanted.hasSuffix("…") ? line.hasPrefix(wanted.dropLast()) : line == wanted
      guard isRight else { throw Deviation(description: "“\(line)” came, not “\(wanted)”") }
    case .server, .tls, nil: break
    }
  }

  func startTLS(before deadline: Deadline) throws {
    guard steps.popFirst() == .tls else { throw Deviation(description: "TLS too early") }
    isEncrypted = true
  }

  func startCompression(alreadyRead: [UInt8]) throws {
    throw Deviation(description: "SMTP knows no compression")
  }

  func close() { isClosed = true }
}
