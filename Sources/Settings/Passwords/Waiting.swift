import Foundation

/// Runs asynchronous work to its end while this thread waits: for threads of one's own, never for a `Task`.
///
/// - Parameter isCancelled: looked at ten times a second; when true the work is cancelled, and still waited for.
package func waiting<Value: Sendable>(
  isCancelled: @escaping () -> Bool = { false },
  for work: @escaping @Sendable () async -> Value
) -> Value {
  let answer = Answer<Value>()
  let task = Task.detached { answer.give(await work()) }
  while true {
    if let value = answer.taken(within: .milliseconds(100)) { return value }
    if isCancelled() { task.cancel() }
  }
}

/// One value handed from a task to a waiting thread. Unchecked: it is set before the signal and read after it.
private final class Answer<Value: Sendable>: @unchecked Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private var value: Value?

  func give(_ value: Value) {
    self.value = value
    arrived.signal()
  }

  func taken(within time: DispatchTimeInterval) -> Value? {
    arrived.wait(timeout: .now() + time) == .success ? value : nil
  }
}
