import Foundation

/// Runs blocking work on a thread of its own: the cooperative pool must never wait for a network.
func onOwnThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: work()) }
    thread.stackSize = 1 << 20
    thread.start()
  }
}
