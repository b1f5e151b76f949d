import IMAPClient
import IMAPWire
import MailCore
import Synchronization
import Transport

/// A connection that waits for changes on the server, on a thread of its own: NOTIFY for all mailboxes, else IDLE in one.
///
/// It is told by the caller when to connect: once at the beginning, and again when it reports that it has ended. What it
/// learned of lines that die it keeps.
package final class MailboxListener: Sendable {
  package enum Event: Sendable {
    case told(ListeningReport)
    /// By itself: where the server tells nothing (then without an error), or where the connection failed or could not
    /// be made. ``MailboxListener/start()`` makes another.
    case ended((any Error)?)
  }

  private struct State {
    var connection: Connection?
    var memory = ListeningMemory()
  }

  /// One that is being made or used.
  private final class Connection: Sendable {
    let interrupt = Interrupt()
    let bell = Doorbell()
  }

  private let factory: ConnectionFactory
  private let mailbox: MailboxName
  private let usesNotify: Bool
  private let report: @Sendable (Event) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - mailbox: the one that is watched where the server has only IDLE.
  ///   - usesNotify: false for the connections beside a first one that found no NOTIFY.
  ///   - report: is called on the connection's thread, and holds it up; never after ``stop()`` but for a call that is
  ///     under way then.
  package init(
    _ factory: ConnectionFactory, mailbox: MailboxName, usesNotify: Bool = true,
    report: @escaping @Sendable (Event) -> Void
  ) {
    self.factory = factory
    self.mailbox = mailbox
    self.usesNotify = usesNotify
    self.report = report
  }

  deinit { stop() }

  /// Connects, where there is no connection yet.
  package func start() {
    let begun = state.withLock { state -> (Connection, ListeningMemory)? in
      guard state.connection == nil else { return nil }
      let connection = Connection()
      state.connection = connection
      defer { state.memory.avoidsNotify = false }  // it is for one connection
      return (connection, state.memory)
    }
    guard let (connection, memory) = begun else { return }
    let job = Job(
      factory: factory.interrupted(by: connection.interrupt), mailbox: mailbox,
      bell: connection.bell)
    let usesNotify = usesNotify
    let hasStarted = startThread(name: "listener") { [weak self] in
      var memory = memory
      if !usesNotify { memory.avoidsNotify = true }
      var failure: (any Error)?
      do {
        try job.run(&memory) { self?.tell(.told($0), from: connection) }
      } catch {
        failure = error
      }
      self?.ended(connection, memory, failure)
    }
    if !hasStarted { ended(connection, memory, ListenerError.noThread) }
  }

  /// Asks for a sign of life: `.alive`, or the end of the connection, is reported within ten seconds where it listens.
  package func check() {
    state.withLock { $0.connection }?.bell.ring()
  }

  /// Ends the connection without waiting for it: it is gone within a second, and says nothing more.
  package func stop() {
    let connection = state.withLock { state in
      defer { state.connection = nil }
      return state.connection
    }
    connection?.interrupt.trigger()
  }

  private func tell(_ event: Event, from connection: Connection) {
    if state.withLock({ $0.connection === connection }) { report(event) }
  }

  private func ended(
    _ connection: Connection, _ memory: ListeningMemory, _ failure: (any Error)?
  ) {
    let isOurs = state.withLock { state in
      guard state.connection === connection else { return false }
      state.connection = nil
      state.memory = memory
      return true
    }
    if isOurs { report(.ended(failure)) }
  }
}

/// What the thread does; it does not hold the listener.
private struct Job: Sendable {
  let factory: ConnectionFactory
  let mailbox: MailboxName
  let bell: Doorbell

  func run(
    _ memory: inout ListeningMemory, _ report: @escaping (ListeningReport) -> Void
  ) throws {
    let session = try factory.openSession()
    defer { session.close() }
    try session.listen(in: mailbox, memory: &memory, bell: bell, report: report)
    session.logout()
  }
}

package enum ListenerError: Error, Equatable {
  case noThread
}

extension ListenerError: Explained {
  package var explanation: Explanation {
    Explanation(
      problem: "The system gives no thread to wait for new mail.",
      remedy: "Close other programs, or raise the limit of processes.", exitStatus: .inPart)
  }
}
