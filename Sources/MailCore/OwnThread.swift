/// Runs blocking work on a thread of its own: the cooperative pool must never wait for a network or a disk.
///
/// Where the system gives no more threads the work is done here nonetheless: late is better than never.
package func onOwnThread<Result: Sendable>(
  _ work: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    let body: @Sendable () -> Void = { continuation.resume(returning: work()) }
    if !startThread(name: "own", stack: 4, body) { body() }
  }
}
