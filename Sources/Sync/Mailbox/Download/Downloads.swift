import MailCore
import Maildir
import Remote

/// Brings one mailbox's messages into the tree, from the server where they are not here already.
final class Downloads {
  private let mailbox: PulledMailbox
  private let adoption: Adoption
  private let failures: MessageFailures
  /// Messages that are still to come.
  var remaining = UIDSet()
  /// Whether the server tells of messages that another mailbox has, too; nil until the mailbox was looked into.
  private var identifies: Bool?
  /// What the last download was waiting for when it failed.
  private(set) var awaited: LostConnections.Awaited?

  init(_ mailbox: PulledMailbox, _ adoption: Adoption, _ failures: MessageFailures) {
    self.mailbox = mailbox
    self.adoption = adoption
    self.failures = failures
  }

  /// Brings these messages into the tree, newest first. Whatever ends it early, what is complete is kept.
  ///
  /// - Parameter isLast: for now nothing else is to be asked for in this mailbox.
  func download(_ wanted: UIDSet, _ remote: borrowing OpenMailbox, isLast: Bool = true) throws {
    guard !wanted.isEmpty else { return }
    try mailbox.markDirty()
    mailbox.entered(.bodies)
    let identifies = self.identifies(remote)
    let sink = MessageSink(
      mailbox, adoption, failures, wanted: wanted,
      bodiesAtOnce: adoption.matcher == nil && !identifies && mailbox.stubLimit == nil)
    defer { sink.batch.releaseAll() }
    var asking = DownloadOrder(
      wanted: wanted, sink: sink, matcher: adoption.matcher, identifies: identifies,
      measures: mailbox.stubLimit != nil)
    try committing(sink) {
      try fetch(&asking, sink, remote, isLast: isLast && mailbox.stubLimit == nil)
      try fetchLarge(sink, remote)
      try fetchDeferred(sink, remote)
    }
    // What was asked for and did not come is gone meanwhile, or to be tried again on the next run.
    let missed = wanted.subtracting(sink.handled)
    remaining = remaining.subtracting(missed)
    guard !missed.isEmpty else { return }
    let there = try remote.existing(missed)
    try failures.record(
      sink.failed.reasons(of: there, otherwise: "the server left it out of its answer"))
    try learn(of: there, remote)
  }

  @discardableResult
  private func identifies(_ remote: borrowing OpenMailbox) -> Bool {
    let identifies = remote.identifiesMessages && !mailbox.context.distrustsIdentities
    self.identifies = identifies
    return identifies
  }

  /// So that ``firstRequest(for:)`` is known.
  func foresee(_ remote: borrowing OpenMailbox) { identifies(remote) }

  /// In a tree that came back a file may be one of the messages that do not come.
  private func learn(of uids: UIDSet, _ remote: borrowing OpenMailbox) throws {
    let context = mailbox.context
    guard try mailbox.record.needsAdoption || !mailbox.state.undecidedFiles().isEmpty else {
      return
    }
    var found: [UndeliveredMessage] = []
    // One that the server stumbles over would keep the others' answers back.
    let pieces = uids.count > Self.mostAlone ? [uids] : uids.uids.map { UIDSet([$0]) }
    for piece in pieces {
      let headers = try remote.headers(of: piece)
      let others = piece.subtracting(UIDSet(headers.keys.sorted()))
      found += headers.values.map { UndeliveredMessage(headerHash: $0.headerHash) }
      for measure in try remote.measures(of: others, unknownDate: 0) where measure.date != 0 {
        found.append(
          UndeliveredMessage(
            date: measure.date, size: context.serverCountsWrong ? nil : measure.size))
      }
    }
    context.noteUndelivered(found)
  }

  private static let mostAlone = 50

  /// Adopts those of these messages that have a file or an orphan here; no other is asked for.
  ///
  /// - Returns: those that have none, and those of which that is not known: the server did not show their header, or
  ///   only their content will tell.
  func match(_ uids: UIDSet, _ remote: borrowing OpenMailbox) throws -> (
    absent: UIDSet, unclear: UIDSet
  ) {
    guard !uids.isEmpty, adoption.matcher != nil else { return (uids, UIDSet()) }
    try mailbox.markDirty()
    let sink = MessageSink(mailbox, adoption, failures, wanted: uids, onlyMatches: true)
    var asking = DownloadOrder(
      wanted: uids, sink: sink, matcher: adoption.matcher, identifies: false)
    sink.absent = sink.toFetch
    sink.toFetch = UIDSet()
    try committing(sink) {
      try remote.fetch(next: { try asking.next() }, into: sink)
    }
    let left = uids.subtracting(sink.handled)
    let absent = sink.absent.intersection(left).subtracting(adoption.suspected)
    return (absent, left.subtracting(absent))
  }

  /// Whatever ends the work, what is complete is kept.
  private func committing(_ sink: MessageSink, _ work: () throws -> Void) throws {
    defer { remaining = remaining.subtracting(sink.handled) }
    awaited = nil
    do {
      try work()
    } catch {
      awaited = sink.awaited
      sink.abandonLiteral()
      // Complete messages are worth keeping, unless the disk itself is what failed.
      if (error as? MaildirError)?.stopsRun == true {
        sink.batch.discard()
      } else {
        try? sink.batch.commit()
      }
      throw error
    }
    try sink.batch.commit()
  }

  /// What a download of these messages asks for first, where that is known before the mailbox is open.
  func firstRequest(for wanted: UIDSet) -> FetchRequest? {
    guard let identifies, adoption.matcher == nil, mailbox.stubLimit == nil,
      !mailbox.context.isRehearsal, !wanted.isEmpty
    else { return nil }
    let (newest, _) = wanted.splitNewest(DownloadOrder.messagesAtOnce)
    return FetchRequest(identifies ? .identities : .bodies, newest)
  }

  private func fetch(
    _ asking: inout DownloadOrder, _ sink: MessageSink, _ remote: borrowing OpenMailbox,
    isLast: Bool = false
  ) throws {
    try remote.fetch(
      isLast: isLast,
      next: {
        let request = try asking.next()
        if let request { sink.asks(request) }
        return request
      }, into: sink)
  }

  /// Messages of which parts stay on the server, and those of which that turns out not to be possible.
  private func fetchLarge(_ sink: MessageSink, _ remote: borrowing OpenMailbox) throws {
    guard let limit = mailbox.stubLimit, !sink.large.isEmpty else { return }
    try StubDownloads(mailbox: mailbox, sink: sink, limit: limit).run(remote)
    var asking = DownloadOrder(wanted: UIDSet(), sink: sink, matcher: nil, identifies: false)
    try fetch(&asking, sink, remote)
  }

  /// Messages that other connections had in hand: by now they are here, or they come now.
  private func fetchDeferred(_ sink: MessageSink, _ remote: borrowing OpenMailbox) throws {
    let context = mailbox.context
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
      try fetch(&asking, sink, remote)
      try fetchLarge(sink, remote)
      waiting = sink.takeDeferred()
    }
  }
}
