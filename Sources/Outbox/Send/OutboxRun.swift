import MailCore
import Maildir
import Queue
import SASL
import SMTPClient
import SMTPWire
import Settings
import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sends an account's queue, once (promise 7): one connection for all, oldest first, each step on disk
/// before the next; then the copies in Sent, and the looks for what is unknown.
///
/// Blocks: run it on a thread of its own. It takes the queue's own lock, no other.
package struct OutboxRun {
  /// What a run does.
  package struct Parts: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let messages = Parts(rawValue: 1)
    package static let copies = Parts(rawValue: 2)
  }

  private let account: AccountSettings
  private let root: String
  private let surroundings: OutboxSurroundings
  private let openSession: (Interrupt) throws -> SMTPSession
  private let forgetSecret: () -> Void
  private let clock: () -> QueueInstant

  package init(
    account: AccountSettings, server: ServerSettings, root: String, credentials: Credentials,
    surroundings: OutboxSurroundings
  ) {
    let connector = SMTPConnector(
      server: server, credentials: credentials, wireLog: surroundings.wireLog)
    self.init(
      account: account, root: root, surroundings: surroundings,
      openSession: { try connector.openSession($0) }, forgetSecret: { credentials.forget() })
  }

  init(
    account: AccountSettings, root: String, surroundings: OutboxSurroundings,
    makeSession: @escaping (Interrupt) -> SMTPSession,
    clock: @escaping () -> QueueInstant = { .now() }
  ) {
    self.init(
      account: account, root: root, surroundings: surroundings,
      openSession: { interrupt in
        let session = makeSession(interrupt)
        try session.open()
        return session
      }, clock: clock)
  }

  private init(
    account: AccountSettings, root: String, surroundings: OutboxSurroundings,
    openSession: @escaping (Interrupt) throws -> SMTPSession,
    forgetSecret: @escaping () -> Void = {},
    clock: @escaping () -> QueueInstant = { .now() }
  ) {
    self.account = account
    self.root = root
    self.surroundings = surroundings
    self.openSession = openSession
    self.forgetSecret = forgetSecret
    self.clock = clock
  }

  /// - Parameters:
  ///   - urgently: also what waits for the time of its next attempt: an explicit push.
  ///   - parts: of the work; what is left out is another run's.
  package func run(urgently: Bool, _ parts: Parts = [.messages, .copies]) -> OutboxSummary {
    var summary = OutboxSummary(account: account.name)
    do {
      let tree = try AccountTree.forReading(path: root + "/" + account.name)
      guard tree.isControlled, let outbox = try Outbox.open(in: tree) else { return summary }
      let sender = try begin(outbox)
      defer { surroundings.queueChanged() }
      try sender.recover(at: clock())
      if let reason = surroundings.restoredTree() {
        try sender.holdAll(reason: reason, at: clock())
        surroundings.restoreNoted()
      }
      var hasEnded = false
      do {
        if parts.contains(.messages) { try send(sender, urgently, &summary) }
      } catch {
        hasEnded = true
        summary.add(Self.explained(error))
      }
      if !hasEnded, parts.contains(.copies) { finishCopies(sender, &summary) }
      try sender.clean(at: clock())
      try conclude(outbox, parts, &summary)
    } catch {
      summary.add(Self.explained(error))
    }
    if surroundings.interrupt.isTriggered {
      summary.worsen(.interrupted, ofCopies: !parts.contains(.messages))
    }
    return summary
  }

  private func begin(_ outbox: Outbox) throws(QueueError) -> OutboxSender {
    let deadline = Deadline.after(seconds: surroundings.patience)
    while true {
      do throws(QueueError) {
        return try outbox.beginSending()
      } catch {
        let isOver = deadline.hasPassed || surroundings.interrupt.isTriggered
        if error != .senderBusy || isOver { throw error }
      }
      usleep(50_000)
    }
  }

  private static func explained(_ error: any Error) -> Explanation {
    ((error as? any Explained) ?? SendingProblem.ended(error)).explanation
  }

  // MARK: Sending

  private func send(_ sender: OutboxSender, _ urgently: Bool, _ summary: inout OutboxSummary) throws
  {
    let candidates = try sender.candidates(at: clock(), urgently: urgently)
    guard !candidates.isEmpty else { return }
    let awaitsOutcome = surroundings.awaitsOutcome
    let line = Line(PatientInterrupt(surroundings.interrupt) { awaitsOutcome(true) })
    defer { line.end() }
    var shown = Deadline.after(seconds: 0)
    for (index, candidate) in candidates.enumerated() {
      let following = index + 1 < candidates.count ? candidates[index + 1] : nil
      guard try send(candidate, before: following, sender, line, &summary) else { return }
      // The view costs a look at the whole queue.
      if shown.hasPassed {
        surroundings.queueChanged()
        shown = .after(seconds: 0.25)
      }
    }
  }

  /// The connection that all messages of a run go over.
  private final class Line {
    var session: SMTPSession?
    let interrupt: PatientInterrupt
    /// Whether a message is announced before the one ahead of it is answered: until that has gone wrong once.
    var announces = true

    init(_ interrupt: PatientInterrupt) { self.interrupt = interrupt }

    func end() {
      session?.quit()
      interrupt.stop()
    }
  }

  /// One message, in as many transactions as its recipients need. False where no more can be sent now.
  private func send(
    _ candidate: QueueEntry, before following: QueueEntry?, _ sender: OutboxSender, _ line: Line,
    _ summary: inout OutboxSummary
  ) throws -> Bool {
    var entry = candidate
    var continues = false
    var mayReconnect = true
    while true {
      if surroundings.interrupt.isTriggered { return false }
      let isReused = line.session?.isUsable == true
      guard let open = connected(line, &summary) else { return false }
      line.session = open
      if !isReused, let server = account.smtp {
        sender.note(largestMessage: open.extensions.maximumSize, of: server.place)
      }
      let submission = EntrySubmission(
        sender: sender, session: open, interrupt: line.interrupt, clock: clock,
        temporaryDirectory: surroundings.temporaryDirectory, isReused: isReused && mayReconnect,
        next: { line.announces ? following.flatMap(EntrySubmission.plan) : nil })
      defer { surroundings.awaitsOutcome(false) }
      switch try submission.run(entry, continues: continues) {
      case .done(let after):
        if after.phase.state == .sent { summary.add(sent: after) }
        return true
      case .more(let after):
        entry = after
        continues = true
      case .again:
        line.session?.close()
        line.announces = false
        mayReconnect = false
      case .withdrawn: return true
      case .setAside(let after, let words):
        line.session?.close()
        if after.phase.state == .queued {
          summary.add(SendingProblem.setAside(words).explanation, at: after.id.text)
        }
        return true
      }
    }
  }

  /// The session, or a new one where it is used up; nil where the server cannot be had: then all that is
  /// left stays queued, and this is no attempt.
  private func connected(_ line: Line, _ summary: inout OutboxSummary) -> SMTPSession? {
    if let session = line.session, session.isUsable { return session }
    line.session?.close()
    do {
      return try openSession(line.interrupt.stream)
    } catch let error as any Explained {
      if case SMTPError.loginRefused = error { forgetSecret() }
      summary.add(error.explanation)
    } catch {
      summary.add(SendingProblem.noServer(error).explanation)
    }
    return nil
  }

  // MARK: After

  private func finishCopies(_ sender: OutboxSender, _ summary: inout OutboxSummary) {
    let copies = SentCopies(
      sender: sender, rule: account.smtp.map { SentCopyRule($0) } ?? .provider,
      ownAddress: account.email, surroundings: surroundings, clock: clock)
    for problem in copies.run() { summary.add(problem, ofCopies: true) }
  }

  private func conclude(_ outbox: Outbox, _ parts: Parts, _ summary: inout OutboxSummary) throws {
    let entries = try outbox.entries()
    let sought = parts.contains(.copies) ? [] : entries.awaitingCopies
    let now = clock()
    for entry in entries {
      if entry.state == .queued { summary.waitingCount += 1 }
      guard let concern = entry.concern else { continue }
      // The look into Sent that is to come may prove it sent.
      if entry.phase.hasUnknown, sought.contains(entry.id), entry.changedJustNow(now) { continue }
      summary.messages.append(OutboxSummary.Message(entry))
      summary.add(concern, at: entry.id.text)
    }
  }
}

extension QueueEntry {
  fileprivate func changedJustNow(_ now: QueueInstant) -> Bool {
    (phase.changed?.elapsed(until: now) ?? .max) < 10_000_000_000
  }
}
