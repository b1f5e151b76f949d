import IMAPClient
import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Fills and their reverse, over one connection, mailbox by mailbox.
struct OnDemandWork {
  let run: AccountRun
  let context: AccountContext

  /// What was done so far.
  struct Outcome {
    var messages = 0
    var bytes: Int64 = 0
  }

  /// So many messages refused for now, one after the other, and the server sends none any more.
  private static let mostLimited = 3

  /// Fills all that was asked for, now or before. What cannot be filled is told, and asked for no longer; what a lost
  /// connection or a full disk kept back stays asked for, and what was moved until a push has found it.
  ///
  /// - Parameter awaitsMoved: a person waits for what was moved, too; else it is no failure.
  func fillWanted(awaitsMoved: Bool, _ outcome: inout Outcome) throws {
    defer { try? OnDemandLeftovers(context: context).removeParts() }
    guard try context.state.hasOnDemand(.wanted) else { return }
    try run.schedule.repeating(in: context) {
      try connected { connection in
        let wanted = try groups(of: context.state.onDemand(.wanted))
        var limited = 0
        context.observer.entered(.bodies, account: context.account)
        for (mailbox, records) in wanted {
          try context.sparing(mailbox.name) {
            let filling = MessageFilling(context: context, mailbox: mailbox)
            var progress = MailboxProgress(
              mailbox: mailbox.name, messages: 0, messagesExpected: records.count, bytes: 0)
            try connection.withMailbox(MailboxTarget(mailbox)) { remote in
              for record in records {
                try context.checkInterrupt()
                do {
                  let bytes = try filling.fill(record, remote)
                  limited = 0
                  outcome.messages += 1
                  outcome.bytes += record.serverSize
                  progress.messages += 1
                  progress.bytes += bytes ?? 0
                  context.observer.progressed(progress, account: context.account)
                } catch let error as OnDemandError {
                  try tell(error, of: record, in: mailbox, awaitsMoved: awaitsMoved)
                  guard case .limited(_, let words) = error else { continue }
                  limited += 1
                  if limited >= Self.mostLimited {
                    throw IMAPError.throttled(seconds: nil, words)
                  }
                }
              }
            }
          }
        }
      }
    }
  }

  private func tell(
    _ error: OnDemandError, of record: MessageRecord, in mailbox: MailboxRecord, awaitsMoved: Bool
  ) throws {
    var problem = RunProblem(error, mailbox: mailbox.name, uid: record.uid.rawValue)
    switch error {
    // Asked for as before.
    case .moved: if !awaitsMoved { problem.exitStatus = ExitStatus.done.rawValue }
    case .noRoom, .limited: break
    default:
      var record = record
      record.traits.remove(.wanted)
      try OnDemandFiles(context: context).put(record, in: mailbox.id)
    }
    context.note(problem)
  }

  /// Makes stubs of these.
  ///
  /// - Parameter tellsWhatCannotBe: of messages that were named one by one, those are told that have no large parts.
  func makeStubs(
    _ messages: [OnDemandMessage], limit: Int64, tellsWhatCannotBe: Bool, _ outcome: inout Outcome
  ) throws {
    let large = messages.filter { $0.record.serverSize > limit }
    if tellsWhatCannotBe {
      for small in messages where small.record.serverSize <= limit {
        context.note(
          RunProblem(
            OnDemandError.noParts(small.record.fileName), mailbox: small.mailbox.name,
            uid: small.record.uid.rawValue))
      }
    }
    guard !large.isEmpty else { return }
    try connected { connection in
      for (_, group) in large.grouped(by: \.mailbox.id) {
        guard let mailbox = group.first?.mailbox else { continue }
        try context.sparing(mailbox.name) {
          let making = StubMaking(context: context, mailbox: mailbox, limit: limit)
          for batch in group.map(\.record).pieces(of: 200) {
            let done = try connection.withMailbox(MailboxTarget(mailbox)) {
              try making.run(batch, $0)
            }
            outcome.messages += done.messages
            outcome.bytes += done.bytes
            for problem in done.problems where tellsWhatCannotBe || !problem.isOfShape {
              context.note(RunProblem(problem, mailbox: mailbox.name))
            }
          }
        }
      }
    }
  }

  func connected(_ work: (RemoteConnection) throws -> Void) throws {
    context.observer.entered(.connecting, account: context.account)
    let (session, _) = try run.factory.openListed(context)
    var isAtEnd = false
    defer { if !isAtEnd { session.close() } }
    context.serverCountsWrong = session.quirks.contains(.wrongSizes)
    try? run.factory.compress(session, environment: run.environment)
    try work(
      RemoteConnection(
        session: session, labels: LabelPolicy(mirrored: [String]()), policy: context.policy))
    isAtEnd = true
    run.factory.end(session)
  }

  /// By mailbox; of those that the server had when it was last asked.
  private func groups(of found: [PlacedMessage]) throws -> [(
    mailbox: MailboxRecord, records: [MessageRecord]
  )] {
    let mailboxes = try context.state.mailboxes().byKey
    return found.grouped(by: \.mailbox).compactMap { id, messages in
      guard let mailbox = mailboxes[id], mailbox.isMatched else { return nil }
      return (mailbox, messages.map(\.message))
    }
  }
}

extension OnDemandError {
  /// It comes of what the message is, and nothing went wrong.
  var isOfShape: Bool { if case .noParts = self { true } else { false } }
}
