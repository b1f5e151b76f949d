import MailCore
import Maildir
import Queue
import SASL
import SMTPClient
import SMTPWire
import Settings
import Transport

/// Sends an account's queue, once (promise 7): one connection for all, oldest first, each step on disk
/// before the next; then the copies in Sent, and the looks for what is unknown.
///
/// Blocks: run it on a thread of its own. It takes the queue's own lock, no other.
package struct OutboxRun {
  /// What a run needs from outside.
  package struct Surroundings {
    /// Ends the run within seconds, everything consistent.
    package var interrupt: Interrupt
    package var wireLog: WireLog?
    /// The account's mailboxes, opened when first needed; nil: no copies are filed, nothing is probed.
    package var mailboxes: (() throws -> any SentMailboxes)?
    /// A message with this Message-ID lies in the local Sent folder, and goes up by itself.
    package var hasLocalCopy: (String) -> Bool = { _ in false }
    /// Told after each change of the queue.
    package var queueChanged: () -> Void = {}
    package var temporaryDirectory = "/tmp"

    package init(interrupt: Interrupt = Interrupt(), wireLog: WireLog? = nil) {
      self.interrupt = interrupt
      self.wireLog = wireLog
    }
  }

  private let account: AccountSettings
  private let root: String
  private let surroundings: Surroundings
  private let makeSession: (Interrupt) -> SMTPSession
  private let forgetSecret: () -> Void
  private let clock: () -> QueueInstant

  package init(
    account: AccountSettings, server: ServerSettings, root: String, credentials: Credentials,
    surroundings: Surroundings
  ) {
    let connector = SMTPConnector(
      server: server, credentials: credentials, wireLog: surroundings.wireLog)
    self.init(
      account: account, root: root, surroundings: surroundings,
      makeSession: { connector.makeSession($0) }, forgetSecret: { credentials.forget() })
  }

  init(
    account: AccountSettings, root: String, surroundings: Surroundings,
    makeSession: @escaping (Interrupt) -> SMTPSession, forgetSecret: @escaping () -> Void = {},
    clock: @escaping () -> QueueInstant = { .now() }
  ) {
    self.account = account
    self.root = root
    self.surroundings = surroundings
    self.makeSession = makeSession
    self.forgetSecret = forgetSecret
    self.clock = clock
  }

  /// - Parameter urgently: also what waits for the time of its next attempt: an explicit push.
  package func run(urgently: Bool) -> OutboxSummary {
    var summary = OutboxSummary(account: account.name)
    do {
      let tree = try AccountTree.forReading(path: root + "/" + account.name)
      guard tree.isControlled, let outbox = try Outbox.open(in: tree) else { return summary }
      let sender = try outbox.beginSending()
      try sender.recover(at: clock())
      try send(sender, urgently, &summary)
      finishCopies(sender, &summary)
      try sender.clean(at: clock())
      surroundings.queueChanged()
      try conclude(outbox, &summary)
    } catch let error as any Explained {
      summary.add(error.explanation)
    } catch {
      summary.add(
        Explanation(problem: "Sending ended: \(error).", exitStatus: .inPart))
    }
    if surroundings.interrupt.isTriggered { summary.worsen(.interrupted) }
    return summary
  }

  // MARK: Sending

  private func send(_ sender: OutboxSender, _ urgently: Bool, _ summary: inout OutboxSummary) throws
  {
    let candidates = try sender.candidates(at: clock(), urgently: urgently)
    guard !candidates.isEmpty else { return }
    let interrupt = PatientInterrupt(surroundings.interrupt)
    defer { interrupt.stop() }
    var session: SMTPSession?
    defer { session?.quit() }
    for candidate in candidates {
      var next: QueueEntry? = candidate
      // A transaction that was full leaves recipients for another, at once.
      while let entry = next {
        next = nil
        if surroundings.interrupt.isTriggered { return }
        guard let open = connected(session, interrupt, &summary) else { return }
        session = open
        let submission = EntrySubmission(
          sender: sender, session: open, interrupt: interrupt, clock: clock,
          temporaryDirectory: surroundings.temporaryDirectory)
        let before = entry.phase.open.count
        guard let after = try submission.run(entry) else { continue }
        surroundings.queueChanged()
        if after.phase.state == .sent { summary.sentCount += 1 }
        if after.phase.state == .queued, after.phase.nextAttempt == nil,
          after.phase.open.count < before
        {
          next = after
        }
      }
    }
  }

  /// The session, or a new one where it is used up; nil where the server cannot be had: then all that is
  /// left stays queued, and this is no attempt.
  private func connected(
    _ session: SMTPSession?, _ interrupt: PatientInterrupt, _ summary: inout OutboxSummary
  ) -> SMTPSession? {
    if let session, session.isUsable { return session }
    session?.close()
    let fresh = makeSession(interrupt.stream)
    do {
      try fresh.open()
      return fresh
    } catch let error as any Explained {
      if case SMTPError.loginRefused = error { forgetSecret() }
      summary.add(error.explanation)
    } catch {
      summary.add(
        Explanation(
          problem: "The mail server cannot be reached: \(error).", exitStatus: .unreachable))
    }
    return nil
  }

  // MARK: After

  private func finishCopies(_ sender: OutboxSender, _ summary: inout OutboxSummary) {
    let copies = SentCopies(
      sender: sender, rule: account.smtp.map { SentCopyRule($0) } ?? .provider,
      ownAddress: account.email, surroundings: surroundings, clock: clock)
    do {
      try copies.run()
    } catch let error as any Explained {
      summary.add(error.explanation)
    } catch {
      summary.add(
        Explanation(
          problem: "The copy for the Sent mailbox could not be filed: \(error).",
          remedy: "It is tried again with the next push.", exitStatus: .inPart))
    }
  }

  private func conclude(_ outbox: Outbox, _ summary: inout OutboxSummary) throws {
    for entry in try outbox.entries() {
      if entry.state == .queued { summary.waitingCount += 1 }
      guard let concern = entry.concern else { continue }
      summary.messages.append(OutboxSummary.Message(entry))
      summary.add(concern, at: entry.id.text)
    }
  }
}
