import IMAPClient
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

extension MailboxPull {
  /// Brings these messages into the tree, newest first. Whatever ends it early, what is complete is kept.
  func download(_ wanted: UIDSet, _ remote: RemoteMailbox, opening target: MailboxTarget?)
    throws
  {
    guard !wanted.isEmpty else { return }
    try markDirty()
    context.observer.entered(.bodies, account: context.account)
    let identifies = remote.identifiesMessages && !context.distrustsIdentities
    let sink = MessageSink(
      pull: self, wanted: wanted, bodiesAtOnce: matcher == nil && !identifies)
    defer { sink.batch.releaseAll() }
    var asking = DownloadOrder(
      wanted: wanted, sink: sink, matcher: matcher, identifies: identifies)
    try committing(sink) {
      try remote.fetch(opening: target, next: { try asking.next() }, into: sink)
      try fetchDeferred(sink, remote)
    }
    try recordFailures(wanted.subtracting(sink.handled), sink, remote)
  }

  /// Adopts those of these messages that have a file or an orphan here; no other is asked for.
  ///
  /// - Returns: those that have none, and those of which that is not known: the server did not show their header, or
  ///   only their content will tell.
  func match(_ uids: UIDSet, _ remote: RemoteMailbox) throws -> (
    absent: UIDSet, unclear: UIDSet
  ) {
    guard !uids.isEmpty, matcher != nil else { return (uids, UIDSet()) }
    try markDirty()
    let sink = MessageSink(pull: self, wanted: uids, bodiesAtOnce: false, onlyMatches: true)
    var asking = DownloadOrder(wanted: uids, sink: sink, matcher: matcher, identifies: false)
    sink.absent = sink.toFetch
    sink.toFetch = UIDSet()
    try committing(sink) {
      try remote.fetch(opening: nil, next: { try asking.next() }, into: sink)
    }
    let unsettled = uids.subtracting(sink.handled)
    let absent = sink.absent.intersection(unsettled).subtracting(UIDSet(suspects.keys))
    return (absent, unsettled.subtracting(absent))
  }

  /// Whatever ends the work, what is complete is kept.
  private func committing(_ sink: MessageSink, _ work: () throws -> Void) throws {
    do {
      try work()
    } catch {
      sink.abandonLiteral()
      // Complete messages are worth keeping, unless the disk itself is what failed.
      if (error as? MaildirError)?.stopsRun == true {
        sink.batch.discard()
      } else {
        try? sink.batch.commit()
      }
      remaining = remaining.subtracting(sink.handled)
      throw error
    }
    try sink.batch.commit()
    remaining = remaining.subtracting(sink.handled)
  }

  /// Messages that other connections had in hand: by now they are here, or they come now.
  private func fetchDeferred(_ sink: MessageSink, _ remote: RemoteMailbox) throws {
    var waiting = sink.takeDeferred()
    while !waiting.isEmpty {
      try sink.batch.commit()
      sink.batch.releaseAll()
      for (_, identity) in waiting {
        context.underWay.wait(for: identity, seconds: 60, interrupt: context.interrupt)
        try context.checkInterrupt()
      }
      let uids = UIDSet(waiting.map(\.uid))
      var asking = DownloadOrder(wanted: uids, sink: sink, matcher: nil, identifies: true)
      try remote.fetch(opening: nil, next: { try asking.next() }, into: sink)
      waiting = sink.takeDeferred()
    }
  }

  /// What was asked for and did not come: gone meanwhile, or to be tried again on the next run.
  private func recordFailures(_ missed: UIDSet, _ sink: MessageSink, _ remote: RemoteMailbox)
    throws
  {
    remaining = remaining.subtracting(missed)
    guard !missed.isEmpty else { return }
    let existing = try remote.existing(missed)
    var failures: [FailureRecord] = []
    for (reason, uids) in sink.failed.reasons(
      of: existing, otherwise: "the server left it out of its answer")
    {
      // The first few by themselves; one record stands for all others. That there is one is enough for the next run to
      // ask for everything that is not here.
      for uid in uids.uids.prefix(Self.mostFailures) {
        failures.append(failure(of: uid, reason))
        context.note(
          RunProblem(
            SyncError.messageNotDelivered(record.mailboxName, uid, reason: reason),
            mailbox: record.name, uid: uid.rawValue))
      }
      let (rest, _) = uids.splitNewest(uids.count - min(uids.count, Self.mostFailures))
      guard let first = rest.first else { continue }
      var others = failure(of: first, reason)
      others.others = rest.count - 1
      failures.append(others)
      context.note(
        RunProblem(
          SyncError.messagesNotDelivered(record.mailboxName, first, rest.count, reason: reason),
          mailbox: record.name, uid: first.rawValue))
    }
    guard !failures.isEmpty else { return }
    try context.state.record(failures)
    failedHere.formUnion(failures.map(\.uid))
    context.noteChange()
  }

  private static let mostFailures = 10

  private func failure(of uid: UID, _ reason: String) -> FailureRecord {
    FailureRecord(
      mailbox: mailboxID, uid: uid.rawValue, attempts: 1, lastAttempt: context.started,
      reason: reason)
  }
}

/// The order of a download's requests: newest first; what must be identified is asked for a little ahead of the bodies.
struct DownloadOrder {
  private var unidentified: UIDSet
  private let sink: MessageSink
  private let identify: FetchRequest.Wanted?
  /// Small enough that newest-first shows, large enough that a request costs nothing.
  private let messagesAtOnce = 200

  /// - Parameter identifies: the server gives identities that other mailboxes' messages share.
  init(wanted: UIDSet, sink: MessageSink, matcher: FileMatcher?, identifies: Bool) {
    self.sink = sink
    identify = matcher != nil ? .headers : identifies ? .identities : nil
    unidentified = identify == nil ? UIDSet() : wanted
    if let matcher, matcher.isFullyHinted, !identifies {
      // Every file that may match names its message: the others are not here.
      unidentified = wanted.intersection(matcher.hinted)
      sink.toFetch = wanted.subtracting(matcher.hinted)
    }
  }

  mutating func next() throws -> FetchRequest? {
    if let again = sink.again.popLast() { return again }
    if !sink.toVerify.isEmpty {
      let (newest, rest) = sink.toVerify.splitNewest(messagesAtOnce)
      sink.toVerify = rest
      return FetchRequest(.headers, newest)
    }
    if let identify, !unidentified.isEmpty, sink.toFetch.count < messagesAtOnce {
      let (newest, rest) = unidentified.splitNewest(messagesAtOnce)
      unidentified = rest
      return FetchRequest(identify, newest)
    }
    guard !sink.toFetch.isEmpty else { return nil }
    if sink.isRehearsal {
      try sink.foreseeFetches()
      return try next()
    }
    let (newest, rest) = sink.toFetch.splitNewest(messagesAtOnce)
    sink.toFetch = rest
    return FetchRequest(.bodies, newest)
  }
}
