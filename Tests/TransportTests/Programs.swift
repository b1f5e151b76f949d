import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

func output(of program: String, _ arguments: [String]) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  process.standardInput = FileHandle.nullDevice
  try process.runUnmasked()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self)
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func secondsNow() -> Double { Date().timeIntervalSince1970 }

func cutLater(_ descriptor: Int32, seconds: Double) {
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: seconds)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

func later(seconds: Double, _ body: @escaping @Sendable () -> Void) {
  Thread.detachNewThread {
    Thread.sleep(forTimeInterval: seconds)
    body()
  }
}

extension Process {
  /// Starts it with no signal blocked: the threads that run tests block most, and children inherit that.
  func runUnmasked() throws {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try run()
  }
}

/// A time that one thread notes and another asks for.
final class Moment: Sendable {
  private let time = Mutex(0.0)
  func note() { time.withLock { $0 = secondsNow() } }
  var secondsAgo: Double { secondsNow() - time.withLock { $0 } }
}
