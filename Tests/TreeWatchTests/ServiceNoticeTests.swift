#if os(Linux)
  import Foundation
  import Testing

  @testable import TreeWatch

  struct ServiceNoticeTests {
    /// The service manager's end.
    private func listen(_ name: [UInt8]) throws -> Int32 {
      let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      let address = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + name
      try address.withUnsafeBytes { bytes in
        let start = try #require(bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self))
        try check(bind(socket, start, socklen_t(bytes.count)))
      }
      return socket
    }

    /// A datagram is there when sendto(2) has returned.
    private func received(_ socket: Int32) -> String? {
      var bytes = [UInt8](repeating: 0, count: 1000)
      let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test(arguments: [true, false]) func `notices reach the socket`(isAbstract: Bool) throws {
      let path = FileManager.default.temporaryDirectory.path + "/notify-" + UUID().uuidString
      let socket = try listen(isAbstract ? [0] + Array(path.utf8) : Array(path.utf8))
      defer {
        close(socket)
        unlink(path)
      }
      let notice = try #require(
        ServiceNotice(environment: ["NOTIFY_SOCKET": isAbstract ? "@" + path : path]))
      notice.ready()
      #expect(received(socket) == "READY=1")
      notice.status("personal:\nwatching")
      #expect(received(socket) == "STATUS=personal: watching")
      notice.alive()
      #expect(received(socket) == "WATCHDOG=1")
      notice.stopping()
      #expect(received(socket) == "STOPPING=1")
      notice.reloading()
      let lines = try #require(received(socket)).split(separator: "\n")
      #expect(lines.first == "RELOADING=1")
      let time = try #require(lines.last?.split(separator: "=").last.flatMap { Int64($0) })
      #expect(abs(time / 1000 - SleepClock.awake) < 60_000)
      #expect(received(socket) == nil)
      #expect(notice.aliveEvery == nil)
    }

    @Test func `a manager that is gone holds up nothing`() throws {
      try #require(ServiceNotice(environment: ["NOTIFY_SOCKET": "/nowhere/notify"])).ready()
    }

    @Test func `the watchdog is for one process`() {
      func every(_ others: [String: String]) -> Duration? {
        ServiceNotice(
          environment: ["NOTIFY_SOCKET": "@x"].merging(others) { $1 })?.aliveEvery
      }
      #expect(every(["WATCHDOG_USEC": "300000000"]) == .seconds(150))
      #expect(
        every(["WATCHDOG_USEC": "300000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(150))
      #expect(every(["WATCHDOG_USEC": "300000000", "WATCHDOG_PID": "1"]) == nil)
      #expect(every(["WATCHDOG_USEC": "x"]) == nil)
    }

    @Test(arguments: ["", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 108)])
    func `what is no socket's name is left alone`(name: String) {
      let notice = ServiceNotice(environment: ["NOTIFY_SOCKET": name])
      #expect(notice.map { _ in true } == nil)
    }
  }
#endif
