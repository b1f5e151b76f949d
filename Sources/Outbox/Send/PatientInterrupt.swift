import Foundation
import MailCore
import Synchronization
import Transport

/// Passes an interrupt on to a connection, but not while the end of a message is answered: to hang up
/// there is to not know whether it was sent. Then it waits some seconds first.
final class PatientInterrupt: Sendable {
  /// What the connection holds.
  let stream = Interrupt()
  private let source: Interrupt
  /// Told before the end of a message leaves.
  private let endsMessage: @Sendable () -> Void
  private let isAwaitingVerdict = Atomic<Bool>(false)
  private let isOver = Atomic<Bool>(false)

  /// Seconds that an answer to the end of a message may still take.
  static let patience = 10.0
  private static let pause = 0.1

  init(_ source: Interrupt, endsMessage: @escaping @Sendable () -> Void = {}) {
    (self.source, self.endsMessage) = (source, endsMessage)
    // Without it an interrupt waits until the message is answered, or the server's time is over.
    _ = startThread(name: "patience") { [weak self] in
      var waited = 0.0
      while let self, !self.isOver.load(ordering: .acquiring) {
        if self.source.isTriggered {
          let isPatient = self.isAwaitingVerdict.load(ordering: .acquiring)
          if !isPatient || waited >= Self.patience { return self.stream.trigger() }
          waited += Self.pause
        }
        Thread.sleep(forTimeInterval: Self.pause)
      }
    }
  }

  deinit { isOver.store(true, ordering: .releasing) }

  var isTriggered: Bool { source.isTriggered }

  /// It came before the end of the message left: nothing is unknown yet.
  struct Came: Error {}

  /// To be called before the end leaves. From here on an interrupt is patient; one that came before
  /// keeps the end from leaving.
  func endLeaves() throws(Came) {
    endsMessage()
    isAwaitingVerdict.store(true, ordering: .sequentiallyConsistent)
    guard !source.isTriggered else {
      verdictCame()
      throw Came()
    }
  }
  func verdictCame() { isAwaitingVerdict.store(false, ordering: .releasing) }
  func stop() { isOver.store(true, ordering: .releasing) }
}
