import Transport

/// What sending an account's queue needs from outside.
package struct OutboxSurroundings {
  /// Ends the run within seconds, everything consistent.
  package var interrupt: Interrupt
  package var wireLog: WireLog?
  /// The account's mailboxes, opened when first needed; nil: no copies are filed, nothing is probed.
  package var mailboxes: (() throws -> any SentMailboxes)?
  /// Whether a message with this Message-ID, queued at that time (Unix seconds), lies in the local Sent
  /// folder at this very moment: then that is the copy, and goes up by itself. What it throws leaves the copy for
  /// later.
  package var hasLocalCopy: (String, Int64) throws -> Bool = { _, _ in false }
  /// Why the tree is not the one that was here before, if it is not: then nothing of its queue is sent
  /// until it is released.
  package var restoredTree: () -> String? = { nil }
  /// All that was queued then is parked, durably.
  package var restoreNoted: () -> Void = {}
  /// Told of each message that the server has accepted, before its copy is filed; told again where that fails.
  package var wasSent: (SentMessage) -> Void = { _ in }
  /// Seconds that a provider gets to file a message whose answer was lost, before it is looked for.
  package var probePause = 3.0
  /// Seconds from one look to the next for copies that an earlier run began to file: what is not there after the last is
  /// filed again.
  package var copyPatience: [Double] = [1, 2, 3]
  /// Told before the end of a message leaves, and when what became of it is recorded: between the two the process had
  /// better not end.
  package var awaitsOutcome: @Sendable (Bool) -> Void = { _ in }
  /// Told after each change of the queue.
  package var queueChanged: () -> Void = {}
  package var temporaryDirectory = "/tmp"
  /// Seconds to wait for another run that is sending: what is asked for here is being done by it.
  package var patience = 0.0

  package init(interrupt: Interrupt = Interrupt(), wireLog: WireLog? = nil) {
    self.interrupt = interrupt
    self.wireLog = wireLog
  }
}
