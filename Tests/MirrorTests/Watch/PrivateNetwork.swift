import Foundation
import MailTestKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A network with a loopback interface alone, that only sockets and programs see which are made ``within(_:)`` it.
final class PrivateNetwork {
  private let place: Int32

  static let isPossible =
    (try? run(["unshare", "-n", "ip", "link", "set", "lo", "up"]))?.status == 0
  /// Whether interfaces can be added to one.
  static let canGrow =
    isPossible
    && (try? run(["unshare", "-n", "ip", "link", "add", "d0", "type", "dummy"]))?.status == 0

  init() throws {
    place = try Self.onThread {
      guard Self.call("unshare", Self.network) == 0 else { throw KitError("unshare: \(errno)") }
      try runSuccessfully(["ip", "link", "set", "lo", "up"])
      return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    }
  }

  deinit { close(place) }

  /// Threads that this begins are within it as well.
  func within<Value>(_ body: @escaping () throws -> Value) throws -> Value {
    try Self.onThread { [place] in
      guard Self.call("setns", place, Self.network) == 0 else {
        throw KitError("setns: \(errno)")
      }
      return try body()
    }
  }

  private static let network: Int32 = 0x4000_0000

  /// A thread that was in another network is no use for anything else.
  private static func onThread<Value>(_ body: @escaping () throws -> Value) throws -> Value {
    nonisolated(unsafe) var result: Result<Value, any Error>?
    nonisolated(unsafe) let work = body
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      result = Result { try work() }
      done.signal()
    }
    thread.start()
    done.wait()
    guard let result else { throw KitError("no thread") }
    return try result.get()
  }

  /// Glibc's module hides these, which only Linux has.
  private static func call(_ name: String, _ numbers: Int32...) -> Int32 {
    guard let place = dlsym(nil, name) else { return -1 }
    if numbers.count == 1 {
      return unsafeBitCast(place, to: (@convention(c) (Int32) -> Int32).self)(numbers[0])
    }
    return unsafeBitCast(place, to: (@convention(c) (Int32, Int32) -> Int32).self)(
      numbers[0], numbers[1])
  }
}
