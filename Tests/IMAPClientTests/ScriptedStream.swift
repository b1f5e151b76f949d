import Foundation
import SASL
import Transport

/// A server that follows a written dialogue (see `Tests/Fixtures/imap/README.md`).
final class ScriptedStream: ByteStream {
  enum Step: Equatable {
    case server([UInt8])
    case client(String)
    case tls
    case compress
    case close
  }

  struct Deviation: Error, CustomStringConvertible {
    var description: String
  }

  private var steps: ArraySlice<Step>
  private var received: [UInt8] = []
  private var pending: ArraySlice<UInt8> = []
  private(set) var isClosed = false
  /// Lines of the client, as they came.
  private(set) var lines: [String] = []
  /// Times the client waited for bytes that followed something it sent: round trips.
  private(set) var roundTrips = 0
  private var hasSpoken = true
  /// Lines of the client between two of its reads.
  private(set) var bursts: [Int] = []
  /// How many seconds each of the client's reads would have waited, in whole ones and up to an hour.
  private(set) var waits: [Int] = []
  /// The same of its writes.
  private(set) var writeWaits: [Int] = []
  /// Bytes that a read returns at most.
  var chunk = Int.max

  var isEncrypted = true
  var isPeerLoopback = false
  var hidesTraffic = false
  func hide(_ mask: SecretMask) {}
  var preferredChannelBinding: ChannelBinding? { nil }
  /// What the log would show, in order; nil stands for the bytes themselves.
  private(set) var loggedAs: [String?] = []
  private(set) var hiddenWrites = 0

  init(_ steps: [Step]) { self.steps = steps[...] }

  convenience init(_ script: String) { self.init(Self.steps(script)) }

  static func steps(_ script: String) -> [Step] {
    script.split(separator: "\n").compactMap { line in
      if line.hasPrefix("S: ") {
        let text = line.dropFirst(3).replacing("\\x20", with: " ")
        return .server(Array(text.utf8) + [13, 10])
      }
      if line.hasPrefix("C: ") { return .client(String(line.dropFirst(3))) }
      switch line {
      case "TLS": return .tls
      case "COMPRESS": return .compress
      case "CLOSE": return .close
      default: return nil
      }
    }
  }

  static func fixture(_ name: String) throws -> ScriptedStream {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/imap/\(name).txt")
    return ScriptedStream(try String(contentsOf: file, encoding: .utf8))
  }

  /// What of the script is left: empty at the end of a good test.
  var rest: [Step] { Array(steps) }

  func read(into room: UnsafeMutableRawBufferPointer, before deadline: Deadline) throws -> Int {
    waits.append(Int(deadline.milliseconds + 500) / 1000)
    if pending.isEmpty { try advance() }
    let count = min(room.count, pending.count, chunk)
    room.copyBytes(from: pending.prefix(count))
    pending = pending.dropFirst(count)
    return count
  }

  private func advance() throws {
    if hasSpoken {
      roundTrips += 1
      hasSpoken = false
      bursts.append(0)
    }
    while case .server(let bytes)? = steps.first {
      pending += bytes
      steps.removeFirst()
    }
    guard pending.isEmpty else { return }
    switch steps.first {
    case .close:
      steps.removeFirst()
    case nil: break  // the end of the script hangs up
    case .client(let line): throw Deviation(description: "the server waits for “\(line)”")
    case .tls, .compress: throw Deviation(description: "the server waits for a change of layers")
    case .server: break
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?) throws {
    hasSpoken = true
    writeWaits.append(Int(deadline.milliseconds + 500) / 1000)
    loggedAs.append(logAs)
    if hidesTraffic || logAs != nil { hiddenWrites += 1 }
    received += Array(bytes)
    while let end = received.firstIndex(of: 10) {
      let line = String(decoding: received[..<end].filter { $0 != 13 }, as: UTF8.self)
      received.removeSubrange(...end)
      lines.append(line)
      if !bursts.isEmpty { bursts[bursts.count - 1] += 1 }
      try expect(line)
    }
  }

  private func expect(_ line: String) throws {
    // Server lines in between reach the client with its next read.
    while case .server(let bytes)? = steps.first {
      pending += bytes
      steps.removeFirst()
    }
    guard case .client(let wanted)? = steps.first else {
      if steps.isEmpty { return }
      throw Deviation(description: "“\(line)” came, unexpected")
    }
    steps.removeFirst()
    let isRight =
      wanted.hasSuffix("…") ? line.hasPrefix(wanted.dropLast()) : line == wanted
    guard isRight else { throw Deviation(description: "“\(line)” came, not “\(wanted)”") }
  }

  func startTLS(before deadline: Deadline) throws {
    guard steps.first == .tls else { throw Deviation(description: "TLS too early") }
    steps.removeFirst()
    isEncrypted = true
  }

  func startCompression(alreadyRead: [UInt8]) throws {
    guard steps.first == .compress else { throw Deviation(description: "compression too early") }
    steps.removeFirst()
    pending = alreadyRead + pending
  }

  func close() { isClosed = true }
}
