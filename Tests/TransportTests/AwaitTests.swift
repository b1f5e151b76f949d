import Dispatch
import MailCore
import Synchronization
import Testing

@testable import Transport

/// Waiting for bytes or for a bell, whichever comes first.
struct AwaitTests {
  /// As of a push that dies while a message waits in the system: a server that reads slowly must not get the rest.
  @Test(arguments: [false, true])
  func `what was not sent goes nowhere after the close, where that is wished`(drops: Bool) throws {
    let (isClosed, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let arrived = Mutex(0)
    let server = LoopbackServer { descriptor in
      isClosed.wait()
      while let bytes = LoopbackServer.receive(descriptor) {
        arrived.withLock { $0 += bytes.count }
      }
      isRead.signal()
    }
    let stream = try connect(server.port)
    let size = 20_000_000
    stream.dropsUnsentBytes = drops
    // More than the system holds: the write ends with the deadline, and what it holds waits.
    try? [UInt8](repeating: 120, count: size).withUnsafeBytes {
      try stream.write($0, before: .after(seconds: 0.5))
    }
    let (sent, waiting) = (Int(stream.bytesSent), stream.unacknowledged)
    #expect(waiting > 0)
    stream.close()
    isClosed.signal()
    isRead.wait()
    let count = arrived.withLock { $0 }
    #expect(drops ? count < sent : count == sent)
    server.stop()
  }

  @Test func `bytes, the bell, the deadline or the interrupt end the wait`() throws {
    let server = LoopbackServer { descriptor in
      while let bytes = LoopbackServer.receive(descriptor) {
        LoopbackServer.sendAll(descriptor, bytes)
      }
    }
    let interrupt = Interrupt()
    let stream = try connect(server.port, interrupt: interrupt)
    let bell = Doorbell()
    #expect(try stream.awaitBytes(or: bell, before: .after(seconds: 0.05)) == .timedOut)
    try send(stream, "hello\n")
    #expect(try stream.awaitBytes(or: bell, before: .after(seconds: 60)) == .bytes)
    #expect(try readLine(stream) == "hello")
    // However often it was rung, also before anybody waited.
    for _ in 0..<100_000 { bell.ring() }
    #expect(try stream.awaitBytes(or: bell, before: .distant) == .rung)
    #expect(try stream.awaitBytes(or: bell, before: .now) == .timedOut)
    later(seconds: 0.1) { bell.ring() }
    #expect(try stream.awaitBytes(or: bell, before: .after(seconds: 60)) == .rung)
    later(seconds: 0.1) { interrupt.trigger() }
    #expect(throws: TransportError.interrupted) {
      _ = try stream.awaitBytes(or: bell, before: .after(seconds: 60))
    }
  }

  @Test func `the end of the connection ends the wait`() throws {
    let server = LoopbackServer { _ in pause(seconds: 0.1) }
    let stream = try connect(server.port)
    #expect(try stream.awaitBytes(or: Doorbell(), before: .after(seconds: 60)) == .bytes)
    #expect(try readLine(stream) == nil)
  }

  @Test(.enabled(if: OpenSSLServer.isInstalled), arguments: [["-tls1_2"], ["-tls1_3"]])
  func `what TLS has decrypted is found before the socket is asked`(version: [String]) throws {
    let server = try OpenSSLServer(certificate: "good", version)
    let stream = try connect(server.port, host: "localhost", trustingPolicy())
    let line = String(repeating: "x", count: 300)
    try send(stream, line + "\n")
    let bell = Doorbell()
    var got = ""
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 7, alignment: 1)
    defer { room.deallocate() }
    while got.utf8.count < 301 {
      guard try stream.awaitBytes(or: bell, before: .after(seconds: 60)) == .bytes else {
        Issue.record("\(got.utf8.count) bytes, and no more")
        return
      }
      do {
        let count = try stream.read(into: room, before: .now)
        got += String(decoding: room.prefix(count), as: UTF8.self)
      } catch TransportError.timedOut(.reading, _) {}
    }
    #expect(try stream.awaitBytes(or: bell, before: .after(seconds: 0.2)) == .timedOut)
  }

  @Test func `what the inflater holds is found, too`() throws {
    let wanted = [UInt8](repeating: 65, count: 1 << 16)
    let compressed = Deflated.sync(wanted)
    let server = LoopbackServer { descriptor in
      LoopbackServer.sendAll(descriptor, compressed)
      while LoopbackServer.receive(descriptor) != nil {}  // stays open
    }
    let stream = try connect(server.port)
    try stream.startCompression()
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
    defer { room.deallocate() }
    var left = wanted.count
    while left > 0 {
      guard try stream.awaitBytes(or: Doorbell(), before: .after(seconds: 60)) == .bytes else {
        Issue.record("\(left) bytes are held back")
        return
      }
      do {
        left -= try stream.read(into: room, before: .now)
      } catch TransportError.timedOut(.reading, _) {}
    }
    for _ in 0..<3 {
      // At most one look that finds nothing.
      if try stream.awaitBytes(or: Doorbell(), before: .after(seconds: 0.1)) == .timedOut { return }
      _ = try? stream.read(into: room, before: .now)
    }
    Issue.record("it claims to hold bytes for ever")
  }

  @Test func `a line that still takes what was sent is given more time for its answer`() throws {
    let size = 4 << 20
    let server = LoopbackServer { descriptor in
      // What the server's system holds is acknowledged, and no longer on the way.
      LoopbackServer.limitBuffer(descriptor, to: 64 << 10)
      var got = 0
      while got < size, let bytes = LoopbackServer.receive(descriptor) {
        got += bytes.count
        pause(seconds: Double(bytes.count) / 2e6)
      }
      LoopbackServer.sendAll(descriptor, "done\n")
      while LoopbackServer.receive(descriptor) != nil {}
    }
    let policy = TLSPolicy()
    let stream = NetworkByteStream(try connect(server.port), policy: policy)
    let bytes = [UInt8](repeating: 65, count: size)
    try bytes.withUnsafeBytes { try stream.write($0, before: .after(seconds: 30), logAs: nil) }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { room.deallocate() }
    // Longer than the first limit, and a busy machine may rest for a while.
    #expect(try stream.read(into: room, before: .after(seconds: 0.5), extendedBy: 60) == 5)
    #expect(stream.unacknowledged == 0)
    // Nothing on the way: no answer in time, no more time.
    let start = secondsNow()
    #expect(throws: TransportError.self) {
      _ = try stream.read(into: room, before: .after(seconds: 0.2), extendedBy: 100)
    }
    #expect(secondsNow() - start < 90)
  }
}
