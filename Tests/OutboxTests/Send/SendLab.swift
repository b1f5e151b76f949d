import Foundation
import Queue
import Transport

@testable import Outbox

/// A queue, a server, and mailboxes; time as the test says.
final class SendLab {
  let lab: OutboxLab
  let server = FakeSMTPServer()
  let mailboxes = FakeMailboxes()
  private(set) var interrupt = Interrupt()
  var minutes: Int64 = 0
  var restored: String?
  var temporaryDirectory = NSTemporaryDirectory()
  var localCopies: Set<String> = []
  /// Called at each look for a local copy, before the answer.
  var looked: () -> Void = {}
  private(set) var noted: [SentMessage] = []

  init() throws {
    lab = try OutboxLab()
    lab.accounts[0].smtp?.sentCopy = .append
  }

  /// Runs after this one are not interrupted.
  func forgetInterrupt() { interrupt = Interrupt() }

  func now() -> QueueInstant {
    var now = QueueInstant.now()
    now.wall += minutes * 60_000_000_000
    now.uptime += minutes * 60_000_000_000
    return now
  }

  @discardableResult
  func run(urgently: Bool = true, _ parts: OutboxRun.Parts = [.messages, .copies]) -> OutboxSummary
  {
    var surroundings = OutboxSurroundings(interrupt: interrupt)
    surroundings.mailboxes = { [mailboxes] in mailboxes }
    surroundings.probePause = 0
    surroundings.copyPatience = [0, 0, 0]
    surroundings.temporaryDirectory = temporaryDirectory
    surroundings.restoredTree = { [unowned self] in restored }
    surroundings.restoreNoted = { [unowned self] in restored = nil }
    surroundings.hasLocalCopy = { [unowned self] id, _ in
      looked()
      return localCopies.contains(id)
    }
    surroundings.wasSent = { [unowned self] in noted.append($0) }
    return OutboxRun(
      account: lab.accounts[0], root: lab.root, surroundings: surroundings,
      makeSession: { [server] _ in server.session() }, clock: { [unowned self] in now() }
    ).run(urgently: urgently, parts)
  }

  func queue(_ text: String = "Hello", to recipients: String...) throws -> QueueID {
    try lab.accept(
      "Subject: \(text)\n\n\(text)\n", recipients.isEmpty ? ["bob@example.net"] : recipients
    ).id
  }

  func entry(_ id: QueueID) throws -> QueueEntry? { try lab.entries().first { $0.id == id } }
  func state(_ id: QueueID) throws -> QueueState? { try entry(id)?.state }
}
