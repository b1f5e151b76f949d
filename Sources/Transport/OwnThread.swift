import Foundation

/// Runs blocking work on a thread of its own: the cooperative pool must never wait for a network or a disk.
package func onOwnThread<Result: Sendable>(
  _ work: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: work()) }
    thread.stackSize = 4 << 20
    thread.start()
  }
}
