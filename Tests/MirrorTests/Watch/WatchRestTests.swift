import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A watch to which nothing happens, and what the service manager hears of it.
@Suite(.onWaitingThreads, .enabled(if: WatchStage.isPossible), .serialized)
struct WatchRestTests {
  /// Of all threads: how often they gave up the processor by themselves. A program that is built for tests shares its
  /// libdispatch, and with it the thread there that looks each second after the pools' workers: that one is left out.
  private func switches(_ process: pid_t) throws -> Int {
    let maps = String(decoding: try readFile("/proc/\(process)/maps"), as: UTF8.self)
    let sharesDispatch = maps.contains("libdispatch.so")
    let tasks = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
      let name = String(decoding: (try? readFile("\(tasks)/\(task)/comm")) ?? [], as: UTF8.self)
      if sharesDispatch, name.contains("qos.overcommit") { return sum }
      let text = String(
        decoding: (try? readFile("\(tasks)/\(task)/status")) ?? [], as: UTF8.self)
      let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
      return sum + (line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0)
    }
  }

  private func written(_ process: pid_t) throws -> Int {
    let text = String(decoding: try readFile("/proc/\(process)/io"), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar") }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  @Test func `at rest it hardly wakes, and writes nothing`() throws {
    let stage = try WatchStage()
    try stage.wait("connections of the first look are closed, but one") {
      stage.proxy.standingCount <= 2
    }
    pause(3)
    let before = (try switches(stage.watch.id), try written(stage.watch.id))
    pause(60)
    #expect(try switches(stage.watch.id) - before.0 <= 4)
    // A wake-up by a byte in a pipe is a write as well.
    #expect(try written(stage.watch.id) - before.1 < 16)
    try stage.stop()
  }

  @Test func `the service manager hears that it is ready, how it stands, and that it ends`() throws
  {
    let stage = try WatchStage()
    try stage.stop()
    let path = "/tmp/mirror-notify-\(UInt32.random(in: 0...UInt32.max))"
    let listener = try NotifySocket(path)
    defer { unlink(path) }
    let watch = try Child(
      stage.mirror.command(["watch", "-q"]),
      environment: stage.mirror.environment.merging([
        "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000000",
      ]) { $1 })
    #expect(listener.hears("READY=1", within: 60))
    #expect(listener.hears("STATUS=personal: watching (NOTIFY)", within: 60))
    #expect(listener.hears("WATCHDOG=1", within: 60))
    watch.signal(SIGHUP)
    #expect(listener.hears("RELOADING=1", within: 60))
    #expect(listener.hears("READY=1", within: 60))
    watch.signal(SIGTERM)
    #expect(listener.hears("STOPPING=1", within: 60))
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }
}

/// What a service manager listens at.
private final class NotifySocket {
  private let descriptor: Int32
  private var heard: [String] = []

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    var time = timeval(tv_sec: 0, tv_usec: 100_000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Whether such a line came, or comes; it counts once.
  func hears(_ line: String, within seconds: Double) -> Bool {
    let end = monotonicSeconds() + seconds
    var buffer = [UInt8](repeating: 0, count: 4096)
    while monotonicSeconds() < end {
      if let place = heard.firstIndex(of: line) {
        heard.remove(at: place)
        return true
      }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { continue }
      heard += String(decoding: buffer[..<count], as: UTF8.self)
        .split(separator: "\n").map(String.init)
    }
    return false
  }
}
