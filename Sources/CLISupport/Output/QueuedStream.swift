import Foundation
import MailCore

/// Queues what is written and returns at once; a thread of its own writes it to the target. So a reader that does not
/// read does not block the writer. While the queue is full, writes are dropped; once there is room again, their number is
/// reported. Where the system gives no thread, the writer waits after all.
package final class QueuedStream: OutputStream {
  private let target: any OutputStream
  private let errors: any OutputStream
  private let limit: Int
  private let condition = NSCondition()
  nonisolated(unsafe) private var waiting: [UInt8] = []  // under `condition`
  nonisolated(unsafe) private var isWriting = false  // under `condition`
  nonisolated(unsafe) private var dropped = 0  // under `condition`
  nonisolated(unsafe) private var hasFailed = false  // under `condition`
  nonisolated(unsafe) private var hasThread = true  // set at the start

  /// Its thread lives as long as the process.
  ///
  /// - Parameters:
  ///   - limit: of the queue, in bytes.
  ///   - errors: where the number of dropped lines is reported.
  package init(
    _ target: any OutputStream, limit: Int = 1 << 20,
    errors: any OutputStream = StandardStream.errors
  ) {
    (self.target, self.limit, self.errors) = (target, limit, errors)
    hasThread = startThread(name: "output") { [self] in while true { writeNext() } }
  }

  package var isTerminal: Bool { target.isTerminal }
  package var size: (columns: Int, rows: Int)? { target.size }

  package func write(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard hasThread else { return target.write(bytes) }
    return condition.withLock {
      if !waiting.isEmpty, waiting.count + bytes.count > limit {
        dropped += 1
      } else {
        waiting.append(contentsOf: bytes)
        condition.broadcast()
      }
      return !hasFailed
    }
  }

  /// Waits until the queue is empty, for so many seconds at most.
  package func finish(within seconds: Double) {
    let end = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while isWriting || !waiting.isEmpty, condition.wait(until: end) {}
  }

  private func writeNext() {
    let bytes = next()
    let isWritten = bytes.withUnsafeBytes { target.write($0) }
    let count = condition.withLock {
      if !isWritten { hasFailed = true }
      defer { dropped = 0 }
      return dropped
    }
    if count > 0 {
      _ = errors.write("mirror: Nobody read the output, and \(count) lines of it were dropped.\n")
    }
  }

  private func next() -> [UInt8] {
    condition.lock()
    defer { condition.unlock() }
    isWriting = false
    condition.broadcast()
    while waiting.isEmpty { condition.wait() }
    isWriting = true
    defer { waiting = [] }
    return waiting
  }
}
