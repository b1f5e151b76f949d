import MailCore
import Maildir
import Queue
import SMTPClient
import SMTPWire

/// One attempt at one message: each step is recorded on disk before the next begins.
struct EntrySubmission {
  let sender: OutboxSender
  let session: SMTPSession
  let interrupt: PatientInterrupt
  let clock: () -> QueueInstant
  /// For copies that a server without 8BITMIME needs.
  let temporaryDirectory: String
  /// Other messages went over the connection before: it may have timed out since.
  var isReused = false
  /// The message that comes after this one, as far as is known.
  var next: () -> SubmissionPlan? = { nil }

  enum Ending {
    case done(QueueEntry)
    /// The transaction was full: the rest is to follow at once.
    case more(QueueEntry)
    /// The connection had ended before the server heard of the message: try another.
    case again
    /// Somebody held, discarded or deleted it meanwhile.
    case withdrawn
    /// It cannot be read, or converted here and now; the words tell why.
    case setAside(QueueEntry, String)
  }

  /// What keeps one message from being sent, and no other.
  private enum Obstacle: Error {
    /// It stays so until somebody looks after it.
    case damage(QueueDamage)
    case noRoom(String)
    case unsuited(AcceptanceError)

    var words: String {
      switch self {
      case .damage(let damage): damage.words
      case .noRoom(let words): "no room to convert it (\(words))"
      case .unsuited(let error): error.explanation.problem
      }
    }
  }

  /// Why an attempt ended, in words of ours: the server had none.
  private enum Reason {
    static let badAddress = "an address of the message is not well formed"
    static let interrupted = "interrupted"
    static let timedOut = "the connection had timed out"
    static let noRecipient = "the server took no recipient"
  }

  /// Claims the entry and submits it on the open session.
  ///
  /// - Parameter continues: for recipients that the last transaction had no room for.
  /// - Throws: what the disk refuses to write. The server may have nothing of the message then.
  func run(_ entry: QueueEntry, continues: Bool = false) throws -> Ending {
    do {
      return try attempt(entry, continues)
    } catch QueueError.noSuchEntry {
      // Deleted with its records, perhaps between two of the steps: that concerns no other.
      return .withdrawn
    }
  }

  private func attempt(_ entry: QueueEntry, _ continues: Bool) throws -> Ending {
    guard let claimed = try claim(entry, continues), let envelope = claimed.envelope else {
      return .withdrawn
    }
    let open = claimed.phase.untried
    let plan: SubmissionPlan
    do throws(SubmissionAddress.Problem) {
      plan = try Self.plan(envelope, open: open)
    } catch {
      return .done(try note(.refused(Reason.badAddress), entry.id))
    }
    do {
      var outcome = try submit(claimed, plan, open)
      if outcome.result == .unsuitable(.needsSevenBit) {
        outcome = try submitNarrow(claimed, plan, open)
      }
      return try settle(outcome, entry.id, open, plan)
    } catch let obstacle as Obstacle {
      return .setAside(try park(entry.id, obstacle), obstacle.words)
    } catch is PatientInterrupt.Came {
      return .done(try note(.lost(Reason.interrupted, ownerDied: true), entry.id))
    } catch QueueError.noSuchEntry {
      // Deleted in a mail reader.
      _ = try note(.lost(QueueDamage.messageMissing.words, ownerDied: true), entry.id)
      return .withdrawn
    }
  }

  private func claim(_ entry: QueueEntry, _ continues: Bool) throws -> QueueEntry? {
    do throws(QueueError) {
      return try sender.note(
        [.claim, continues ? .continued : .reached], for: entry.id, at: clock())
    } catch {
      switch error {
      case .noSuchEntry, .notAllowed, .damaged, .changedMeanwhile, .inSentOnly: return nil
      case .files, .ambiguous, .senderBusy: throw error
      }
    }
  }

  private func note(_ event: QueueEvent, _ id: QueueID) throws(QueueError) -> QueueEntry {
    try sender.note(event, for: id, at: clock())
  }

  // MARK: Submitting

  private func submit(_ entry: QueueEntry, _ plan: SubmissionPlan, _ open: [Int]) throws
    -> SubmissionOutcome
  {
    let reader = try reader(of: entry)
    return try transact(
      plan, open, entry.id, body: { try Self.read(reader, &$0) },
      check: { try Self.checkIntact(reader) })
  }

  private func reader(of entry: QueueEntry) throws -> FrozenMessageReader {
    do {
      return try sender.outbox.message(of: entry)
    } catch QueueError.files(let error) {
      throw Obstacle.damage(.unreadable(error.explanation.problem))
    }
  }

  private static func read(_ reader: FrozenMessageReader, _ buffer: inout [UInt8]) throws -> Int {
    do {
      return try reader.read(into: &buffer)
    } catch {
      throw Obstacle.damage(.unreadable(error.explanation.problem))
    }
  }

  private static func checkIntact(_ reader: FrozenMessageReader) throws {
    guard reader.isIntact else { throw Obstacle.damage(.messageChanged) }
  }

  /// The same for a server without 8BITMIME.
  private func submitNarrow(_ entry: QueueEntry, _ plan: SubmissionPlan, _ open: [Int]) throws
    -> SubmissionOutcome
  {
    let reader = try reader(of: entry)
    let copy: SevenBitCopy
    do {
      let whole = MessageSpool(directory: temporaryDirectory)
      var block = [UInt8](repeating: 0, count: 256 * 1024)
      while case let count = try Self.read(reader, &block), count > 0 {
        try whole.append(Array(block[..<count]))
      }
      try Self.checkIntact(reader)
      copy = try whole.withBytes { try SevenBitCopy($0, directory: temporaryDirectory) }
    } catch is RecodingProblem {
      return SubmissionOutcome(
        recipients: plan.recipients.map { _ in .notTried }, result: .unsuitable(.needsSevenBit),
        isConnectionUsable: true, needsReset: false)
    } catch AcceptanceError.spool(let words) {
      throw Obstacle.noRoom(words)
    } catch let error as AcceptanceError {
      throw Obstacle.unsuited(error)
    }
    var narrow = plan
    narrow.size = copy.wireSize
    narrow.hasEightBitBody = false
    return try copy.spool.withBytes { bytes in
      var place = 0
      return try transact(
        narrow, open, entry.id,
        body: { buffer in
          let count = min(buffer.count, bytes.count - place)
          buffer.withUnsafeMutableBytes { room in
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[place..<(place + count)]))
          }
          place += count
          return count
        }, check: {})
    }
  }

  /// - Parameter check: throws where the end must not leave.
  private func transact(
    _ plan: SubmissionPlan, _ open: [Int], _ id: QueueID,
    body: @escaping (inout [UInt8]) throws -> Int, check: () throws -> Void
  ) throws -> SubmissionOutcome {
    defer { interrupt.verdictCame() }
    var isFull = false
    var unnoted: [QueueEvent] = []
    return try session.submit(
      plan, body: body, next: { isFull || interrupt.isTriggered ? nil : next() },
      recipientsKnown: { answers in
        isFull = answers.contains(.notTried)
        let event = QueueEvent.recipients(Self.results(answers, open))
        // What the server said of a recipient must not be lost. That all were accepted can be recorded with the next step,
        // where that comes soon.
        if plan.size <= Self.smallSize, answers.allSatisfy(\.isAcceptance) {
          unnoted = [event]
        } else {
          _ = try note(event, id)
        }
      },
      willEnd: {
        try check()
        try interrupt.endLeaves()
        _ = try sender.note(unnoted + [.dispatching], for: id, at: clock())
      })
  }

  /// Bytes that no connection takes long for.
  private static let smallSize: UInt64 = 256 * 1024

  // MARK: Noting what came of it

  private func settle(
    _ outcome: SubmissionOutcome, _ id: QueueID, _ open: [Int], _ plan: SubmissionPlan
  ) throws(QueueError) -> Ending {
    if isReused, !outcome.wasBegun, outcome.result.isEndOfSession, !interrupt.isTriggered {
      _ = try note(.lost(Reason.timedOut, ownerDied: true), id)
      return .again
    }
    let entry = try noted(outcome, id, open, plan)
    let isFull = outcome.result.isAnswerToRecipients && entry.phase.state == .queued
    let hasProgress = outcome.recipients.contains { $0 != .notTried }
    return isFull && hasProgress && !entry.phase.untried.isEmpty ? .more(entry) : .done(entry)
  }

  private func noted(
    _ outcome: SubmissionOutcome, _ id: QueueID, _ open: [Int], _ plan: SubmissionPlan
  ) throws(QueueError) -> QueueEntry {
    if let current = try noteRecipients(outcome, id, open) {
      if current.phase.state != .sending { return current }
    }
    switch outcome.result {
    case .accepted(let reply): return try note(.accepted(receipt: reply.words), id)
    case .noRecipient:
      // Every one has its answer, noted above; where the server gave none it took no part in this.
      return try note(.deferred(Reason.noRecipient), id)
    case .refused(_, let reply): return try note(.refused(reply.words), id)
    case .deferred(_, let reply): return try note(.deferred(reply.words), id)
    case .lost(let reason):
      return try note(.lost(reason, ownerDied: interrupt.isTriggered), id)
    case .unknown(let reason): return try note(.lost(reason, ownerDied: false), id)
    case .unsuitable(let problem):
      return try note(.refused(Self.words(problem, plan)), id)
    }
  }

  /// What RCPT brought, where the body did not follow.
  private func noteRecipients(_ outcome: SubmissionOutcome, _ id: QueueID, _ open: [Int])
    throws(QueueError) -> QueueEntry?
  {
    switch outcome.result {
    case .accepted, .unknown, .unsuitable: return nil
    case .lost, .noRecipient, .refused, .deferred: break
    }
    let results = Self.results(outcome.recipients, open)
    guard !results.isEmpty, let entry = try sender.outbox.read(id), entry.phase.state == .sending,
      entry.phase.step == .recipients
    else { return nil }
    return try note(Self.event(results, outcome.result, open, interrupt.isTriggered), id)
  }

  private func park(_ id: QueueID, _ obstacle: Obstacle) throws(QueueError) -> QueueEntry {
    let entry = try note(.lost(obstacle.words, ownerDied: true), id)
    guard case .damage = obstacle, entry.phase.state == .queued else { return entry }
    return try note(.hold(obstacle.words), id)
  }
}

extension RecipientAnswer {
  fileprivate var isAcceptance: Bool { if case .accepted = self { true } else { false } }
}

extension SubmissionOutcome.Result {
  /// The connection is gone, or the server says that it goes.
  fileprivate var isEndOfSession: Bool {
    switch self {
    case .lost: true
    case .deferred(_, let reply): reply.endsSession
    case .accepted, .noRecipient, .refused, .unknown, .unsuitable: false
    }
  }

  /// Each recipient that the transaction had room for has its answer.
  fileprivate var isAnswerToRecipients: Bool {
    switch self {
    case .accepted, .noRecipient: true
    case .refused, .deferred, .lost, .unknown, .unsuitable: false
    }
  }
}
