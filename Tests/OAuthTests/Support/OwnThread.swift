import Foundation

/// Runs blocking work on a thread of its own: tests run on the pool that the work waits for.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
{
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Result { try work() }) }
    thread.stackSize = 1 << 20
    thread.start()
  }
}
