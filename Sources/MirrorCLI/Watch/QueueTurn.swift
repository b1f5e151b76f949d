import CLISupport
import Foundation
import IMAPWire
import MailCore
import Outbox
import Queue
import Remote
import Settings
import Synchronization
import Transport
import Watch
import WatchPlan

/// One turn at an account's queue while it is watched: the messages, or the copies of those that left. Blocks.
struct QueueTurn: Sendable {
  let settings: AccountSettings
  let session: MirrorSession
  let reporter: WatchReporter
  /// Of the account's directory.
  let path: String

  private var entries: [QueueEntry] { (try? OutboxReader.entries(account: path)) ?? [] }

  // MARK: Messages

  func send(
    awaitsOutcome: @escaping @Sendable (Bool) -> Void, treeIsThere: () -> Bool
  ) -> (end: SendEnd, sentCount: Int) {
    let before = entries
    guard !before.isEmpty else {
      reporter.wentWell(settings.name, .queue)
      return (SendEnd(.done, copies: .none), 0)
    }
    let sending = QueueSending(session: session, awaitsOutcome: awaitsOutcome, parts: .messages)
    guard let summary = sending.send(settings, urgently: false, waits: true) else {
      return (SendEnd(.done, copies: .none), 0)
    }
    reporter.ended(summary, of: .queue)
    let isLogInRefused =
      settings.smtp.map { session.refusedLogIn(settings, at: $0)?.since != nil } ?? false
    let result = RunResult(
      summary.sendingStatus, isLogInRefused: isLogInRefused, treeIsThere: treeIsThere())
    let after = entries
    return (
      SendEnd(result, next: Self.next(before, after), copies: Self.copiesLeft(before, after)),
      summary.sentCount
    )
  }

  /// One that waited and was not tried has no time, or one that is over. What was queued meanwhile is heard of.
  private static func next(_ before: [QueueEntry], _ after: [QueueEntry]) -> Duration? {
    let now = QueueInstant.now()
    let waited = Set(before.filter { $0.state == .queued }.map(\.id))
    let next = after.filter {
      $0.state == .queued && $0.damage == nil && $0.file != nil
        && ($0.nextAttempt != nil || waited.contains($0.id))
    }.map { $0.nextAttempt?.remaining(at: now) ?? 0 }.min()
    return next.map { .seconds($0) }
  }

  private static func copiesLeft(_ before: [QueueEntry], _ after: [QueueEntry]) -> CopiesLeft {
    let left = after.awaitingCopies
    if left.isEmpty { return .none }
    return left.isSubset(of: before.awaitingCopies) ? .waiting : .new
  }

  // MARK: Copies

  /// - Parameter waiting: connections of runs that wait for the next one.
  func fileCopies(
    with credentials: Credentials, waiting: KeptConnections?, _ loan: ConnectionLoan,
    treeIsThere: () -> Bool
  ) -> CopiesEnd {
    let before = entries.awaitingCopies
    guard !before.isEmpty else {
      reporter.wentWell(settings.name, .copies)
      return CopiesEnd(.done, areLeft: false)
    }
    let refusal = Refusal()
    let factory = ConnectionFactory(
      server: settings.imap, credentials: credentials, interrupt: session.interrupt,
      wireLog: session.wireLog(settings))
    let sending = QueueSending(session: session, parts: .copies) { [session] in
      do {
        if let open = waiting.flatMap({ Self.mailboxes(over: $0, loan, endedBy: session.interrupt) }
        ) {
          return open
        }
        return try IMAPSentMailboxes(factory.openSession())
      } catch let error where !session.interrupt.isTriggered {
        refusal.note(error)
        throw error
      }
    }
    guard let summary = sending.send(settings, urgently: false, waits: true) else {
      return CopiesEnd(.done, areLeft: false)
    }
    reporter.ended(summary, of: .copies)
    let left = entries.awaitingCopies
    let result =
      session.interrupt.isTriggered && treeIsThere()
      ? .interrupted
      : RunResult(
        summary.copiesStatus, isLogInRefused: refusal.isOfLogIn, isCrowded: refusal.isCrowded,
        treeIsThere: treeIsThere())
    return CopiesEnd(
      result, areLeft: !left.isEmpty, hasFiled: !before.isSubset(of: left))
  }

  /// Over a connection that waits for the next run: that costs no log-in, and a server that lets in one connection has it
  /// already. Only where there is none another is opened, and a refusal of that is reported.
  private static func mailboxes(
    over waiting: KeptConnections, _ loan: ConnectionLoan, endedBy interrupt: Interrupt
  ) -> IMAPSentMailboxes? {
    guard let lent = loan.take(of: waiting, endedBy: interrupt) else { return nil }
    do {
      return try IMAPSentMailboxes(lent.session) { _ in lent.giveBack() }
    } catch {
      lent.giveUp()
      return nil
    }
  }

  /// Why the server that keeps Sent could not be had.
  private final class Refusal: Sendable {
    private let end = Mutex<LineEnd?>(nil)

    func note(_ error: any Error) { end.withLock { $0 = LineEnd(error) } }
    var isOfLogIn: Bool { end.withLock { $0 } == .refused }
    var isCrowded: Bool { end.withLock { $0 } == .crowded }
  }
}
