import Foundation
import IMAPClient
import Remote
import Transport

/// The waiting connection of an account's runs, lent to who files copies. The server tells of a copy while it is being
/// filed, and a message leaves while what came before is fetched: the one that comes second waits a moment for the connection
/// rather than to log in anew, which a server may not allow beside the line.
final class ConnectionLoan: @unchecked Sendable {  // `lock` guards all that changes
  private let lock = NSCondition()
  private var isLent = false
  private var isRunning = false

  /// Seconds that one waits for the other.
  private static let patience = 1.0

  /// Nil where none waits. It is to be given back.
  func take(of waiting: KeptConnections, endedBy interrupt: Interrupt) -> Lent? {
    wait { isRunning }
    guard !interrupt.isTriggered, let session = waiting.take() else { return nil }
    setLent(true)
    return Lent(session, of: waiting, endedBy: interrupt, self)
  }

  func runBegins() {
    wait { isLent }
    change { isRunning = true }
  }

  func runEnded() { change { isRunning = false } }

  private func setLent(_ isLent: Bool) { change { self.isLent = isLent } }

  private func wait(while isSo: () -> Bool) {
    let end = Date() + Self.patience
    lock.lock()
    while isSo(), lock.wait(until: end) {}
    lock.unlock()
  }

  private func change(_ body: () -> Void) {
    lock.lock()
    body()
    lock.broadcast()
    lock.unlock()
  }

  /// A connection whose waits end by the interrupt of who has it.
  struct Lent {
    let session: IMAPSession
    private let waiting: KeptConnections
    private let before: Interrupt?
    private let loan: ConnectionLoan

    fileprivate init(
      _ session: IMAPSession, of waiting: KeptConnections, endedBy interrupt: Interrupt,
      _ loan: ConnectionLoan
    ) {
      (self.session, self.waiting, self.loan) = (session, waiting, loan)
      before = session.interrupt
      session.interrupt = interrupt
    }

    func giveBack() {
      session.interrupt = before
      waiting.keep(session)
      loan.setLent(false)
    }

    /// It is dead, and so are the others: they were all made over the same line.
    func giveUp() {
      session.close()
      waiting.closeAll()
      loan.setLent(false)
    }
  }
}
