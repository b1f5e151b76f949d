import Foundation
import MailCore
import Maildir

/// A batch of files on their way to the disk and into their folders, on a thread of their own: more messages come
/// meanwhile, where a sync would else hold up the line.
final class FilesBeingNamed: Sendable {
  private let condition = NSCondition()
  // Guarded by `condition`.
  nonisolated(unsafe) private var outcome: DeliveryBatch.Outcome?

  init(_ files: DeliveryBatch) {
    let work: @Sendable () -> Void = { [self] in
      var files = files
      let outcome = files.commit()
      condition.withLock {
        self.outcome = outcome
        condition.broadcast()
      }
    }
    if !startThread(name: "files", work) { work() }
  }

  var isDone: Bool { condition.withLock { outcome != nil } }

  func wait() -> DeliveryBatch.Outcome {
    condition.withLock {
      while true {
        if let outcome { return outcome }
        condition.wait()
      }
    }
  }
}
