import MailCore
import Testing

@testable import Transport

struct StreamTests {
  @Test func `bytes go both ways, and the end is zero`() throws {
    let server = LoopbackServer { descriptor in
      LoopbackServer.sendAll(descriptor, "* OK ready\r\n")
      if let bytes = LoopbackServer.receive(descriptor) {
        LoopbackServer.sendAll(descriptor, bytes)
      }
    }
    let stream = try connect(server.port)
    #expect(try readLine(stream) == "* OK ready")
    try send(stream, "a noop\r\n")
    #expect(try readLine(stream) == "a noop")
    #expect(try readAll(stream).isEmpty)
    #expect(stream.bytesReceived == 20 && stream.bytesSent == 8)
    #expect(stream.isPeerLoopback && !stream.isEncrypted && stream.tls == nil)
  }

  @Test func `a read that timed out may be repeated`() throws {
    let server = LoopbackServer { descriptor in
      _ = LoopbackServer.receive(descriptor)
      LoopbackServer.sendAll(descriptor, "late\n")
    }
    let stream = try connect(server.port)
    let endpoint = Endpoint(host: "127.0.0.1", port: server.port)
    for _ in 0..<2 {
      #expect(throws: TransportError.timedOut(.reading, endpoint)) {
        _ = try readLine(stream, before: .after(seconds: 0.05))
      }
    }
    try send(stream, "go\n")
    #expect(try readLine(stream) == "late")
  }

  @Test func `a write to a server that reads nothing ends at the deadline`() throws {
    let server = LoopbackServer { _ in pause(seconds: 60) }
    let stream = try connect(server.port)
    let endpoint = Endpoint(host: "127.0.0.1", port: server.port)
    let bytes = [UInt8](repeating: 65, count: 64 << 20)
    #expect(throws: TransportError.timedOut(.writing, endpoint)) {
      try stream.write(bytes, before: .after(seconds: 0.2))
    }
  }

  @Test func `writing to a server that is gone is an error and no signal`() throws {
    let server = LoopbackServer { _ in }
    let stream = try connect(server.port)
    #expect(throws: TransportError.self) {
      for _ in 0..<100 {
        try stream.write([UInt8](repeating: 65, count: 100_000), before: .after(seconds: 1))
        pause(seconds: 0.01)
      }
    }
  }

  @Test func `a closed port is refused at once`() throws {
    let port = LoopbackServer.freePort()
    pause(seconds: 0.05)
    let start = secondsNow()
    #expect(throws: TransportError.refused(Endpoint(host: "127.0.0.1", port: port))) {
      _ = try connect(port)
    }
    #expect(secondsNow() - start < 15, "its time is 20 s")
  }

  @Test func `a name that does not exist cannot be resolved`() {
    do {
      _ = try connect(993, host: "no-such-host.invalid", seconds: 20)
      Issue.record("resolved")
    } catch {
      guard case .cannotResolve = error else {
        Issue.record("\(error)")
        return
      }
      #expect(error.explanation.exitStatus == .unreachable)
    }
  }

  @Test(arguments: ["", "a\0b", "bad host", "::1%nowhere", "999.1.1.1"])
  func `odd host names are errors`(host: String) {
    #expect(throws: TransportError.self) {
      _ = try connect(1, host: host, TLSPolicy(), seconds: 20)
    }
  }

  @Test func `an address that never answers does not hold up the next`() throws {
    let server = LoopbackServer { descriptor in LoopbackServer.sendAll(descriptor, "hello\n") }
    let endpoint = Endpoint(host: "two-addresses.invalid", port: server.port)
    let full = FullServer()
    let addresses = [
      full.address, SocketAddress.loopback(port: server.port),
    ]
    var race = ConnectionRace(endpoint: endpoint, interrupt: nil, addresses: addresses)
    let start = secondsNow()
    let winner = try race.winner(before: .after(seconds: 60))
    #expect(secondsNow() - start < 30)
    #expect(winner.address == addresses[1])
    closeDescriptor(winner.descriptor)
  }

  @Test func `a connection that was reset is still known to be local`() throws {
    let server = LoopbackServer { descriptor in
      _ = LoopbackServer.receive(descriptor)
      LoopbackServer.resetOnClose(descriptor)
    }
    let stream = try connect(server.port)
    try send(stream, "connected\n")
    #expect(throws: TransportError.self) { _ = try readLine(stream) }
    #expect(stream.isPeerLoopback)
  }

  @Test func `addresses of both families take turns`() {
    func address(_ family: Int32, _ mark: UInt8) -> SocketAddress {
      SocketAddress(family: family, bytes: [mark])
    }
    let mixed = [address(10, 1), address(10, 2), address(10, 3), address(2, 4), address(2, 5)]
    #expect(Resolver.interleaved(mixed).map { $0.bytes[0] } == [1, 4, 2, 5, 3])
    #expect(Resolver.interleaved([]).isEmpty)
  }

  @Test func `a read that waits ends within 100 ms of the interrupt`() throws {
    let server = LoopbackServer { descriptor in while LoopbackServer.receive(descriptor) != nil {} }
    var delays: [Double] = []
    for _ in 0..<5 {
      let interrupt = Interrupt()
      let stream = try connect(server.port, interrupt: interrupt)
      let triggered = Moment()
      later(seconds: 0.1) {
        triggered.note()
        interrupt.trigger()
      }
      #expect(throws: TransportError.interrupted) { _ = try readLine(stream, before: .distant) }
      delays.append(triggered.secondsAgo)
      // It stays triggered for every stream.
      #expect(throws: TransportError.interrupted) { try send(stream, "x") }
      #expect(throws: TransportError.interrupted) {
        _ = try connect(server.port, interrupt: interrupt)
      }
    }
    #expect(delays.min() ?? 1 < 0.1, "\(delays)")  // the others may have waited for the processor
  }

  @Test func `a read with data at hand ends at the interrupt too`() throws {
    let server = LoopbackServer { descriptor in
      let bytes = [UInt8](repeating: 65, count: 65536)
      for _ in 0..<100_000 { LoopbackServer.sendAll(descriptor, bytes) }
    }
    let interrupt = Interrupt()
    let stream = try connect(server.port, interrupt: interrupt)
    later(seconds: 0.1) { interrupt.trigger() }
    let start = secondsNow()
    #expect(throws: TransportError.interrupted) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
      defer { buffer.deallocate() }
      while try stream.read(into: buffer, before: .distant) > 0 {}
    }
    #expect(secondsNow() - start < 2)
  }

  @Test func `deadlines count down and compare`() {
    #expect(Deadline.after(seconds: 0).hasPassed && Deadline.after(seconds: -1).hasPassed)
    #expect(Deadline.after(seconds: .nan).hasPassed)
    #expect(!Deadline.distant.hasPassed && !Deadline.after(seconds: .infinity).hasPassed)
    let soon = Deadline.after(seconds: 10)
    #expect((9_000...10_000).contains(soon.milliseconds))
    #expect(min(soon, .distant) == soon)
    #expect(Deadline.distant.milliseconds == 3_600_000)
  }
}
