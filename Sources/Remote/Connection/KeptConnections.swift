import Foundation
import IMAPClient

/// Connections of one account that wait, logged in and with no mailbox open, for the next run to use them. Whoever gets
/// one has it alone until it is kept again.
package final class KeptConnections: Sendable {
  /// How long connections wait, from their last use on.
  package struct Patience: Sendable {
    var all: Duration
    var last: Duration

    /// - Parameters:
    ///   - all: all of them but one.
    ///   - last: the one that was used last. Servers may hang up after 30 minutes (RFC 9051 §5.4).
    package init(all: Duration = .seconds(60), last: Duration = .seconds(60)) {
      self.all = all
      self.last = max(all, last)
    }
  }

  private struct Kept {
    let session: IMAPSession
    /// By a clock that goes on while the machine sleeps: what was kept before that is old after it.
    let since: ContinuousClock.Instant
  }

  private let patience: Patience
  private let lock = NSLock()
  nonisolated(unsafe) private var kept: [Kept] = []  // oldest first, under `lock`

  package init(_ patience: Patience = Patience()) { self.patience = patience }

  /// Seconds for the first answer of a connection that waited: one that is silent for longer is dead.
  private static let answerSeconds = 10.0

  /// The one that was used last; nil where none is left. Whether it still lives, its first answer tells.
  package func take() -> IMAPSession? {
    closeIdle()
    let session = lock.withLock { kept.popLast()?.session }
    session?.doubtLine(for: Self.answerSeconds)
    return session
  }

  /// One that answers.
  package func takeAlive() -> IMAPSession? {
    while let session = take() {
      do {
        try session.execute(.noop)
        return session
      } catch {
        session.close()
        // They were all made over the same line.
        closeAll()
      }
    }
    return nil
  }

  /// Keeps it, with no mailbox open, or logs it out where that is not possible.
  package func keep(_ session: IMAPSession) {
    guard session.rest() else { return session.logout() }
    lock.withLock { kept.append(Kept(session: session, since: .now)) }
  }

  /// Logs out those that have waited long enough.
  ///
  /// - Returns: when the next will have; nil where none is left.
  @discardableResult
  package func closeIdle(at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
    let (idle, next) = lock.withLock {
      let last = kept.count - 1
      let ends = kept.enumerated().map { place, one in
        one.since + (place == last ? patience.last : patience.all)
      }
      let idle = zip(kept, ends).filter { $0.1 <= now }.map(\.0.session)
      kept = zip(kept, ends).filter { $0.1 > now }.map(\.0)
      return (idle, ends.filter { $0 > now }.min())
    }
    for session in idle { session.logout() }
    return next
  }

  /// The line may be dead, or the account is done with.
  package func closeAll() {
    let all = lock.withLock {
      defer { kept = [] }
      return kept.map(\.session)
    }
    for session in all { session.logout() }
  }
}
