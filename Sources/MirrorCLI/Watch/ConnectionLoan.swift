import Foundation
import IMAPClient
import Remote
import Transport

/// The waiting connection of an account's runs, lent to who files copies. The server tells of a copy while it is being
/// filed: the run that fetches it waits a moment for the connection rather than to log in anew.
final class ConnectionLoan: @unchecked Sendable {  // everything mutable behind `lock`
  private let lock = NSCondition()
  private var isLent = false

  /// Seconds that a run waits.
  private static let patience = 1.0

  /// Nil where none waits that lives. Whoever gets one gives it back.
  func take(of waiting: KeptConnections, endedBy interrupt: Interrupt) -> Lent? {
    guard !interrupt.isTriggered, let session = waiting.take() else { return nil }
    setLent(true)
    return Lent(session, of: waiting, endedBy: interrupt, self)
  }

  func awaitReturn() {
    let end = Date() + Self.patience
    lock.lock()
    while isLent, lock.wait(until: end) {}
    lock.unlock()
  }

  private func setLent(_ isLent: Bool) {
    lock.lock()
    self.isLent = isLent
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
