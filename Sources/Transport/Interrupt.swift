/// Ends every wait of every stream that holds it, from any thread or from a signal handler.
///
/// A bell that nobody answers: it wakes threads in poll(2), is looked at before each read, and rings on.
package final class Interrupt: Sendable {
  private let bell = Doorbell()

  package init() {}

  /// -1 where no pipe could be made; then waits look at the flag every 50 ms.
  var descriptor: Int32 { bell.descriptor }
  package var isTriggered: Bool { bell.isRinging }

  /// Safe in a signal handler.
  package func trigger() { bell.ring() }
}
