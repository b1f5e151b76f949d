import IMAPClient
import IMAPWire
import MailCore
import SyncPlan

/// One connection to an account's server, with at most one mailbox open, always read-only. Confined to the connection's
/// thread.
package final class RemoteMailbox {
  package let session: IMAPSession
  let labels: LabelPolicy
  /// Sizes are asked for in the flight that opens a mailbox, with the flags.
  package var asksSizes = false
  /// How many FETCHes are under way at once: enough to hide the latency of a slow line.
  private let depth = 4

  package init(session: IMAPSession, labels: LabelPolicy) {
    self.session = session
    self.labels = labels
  }

  /// EMAILID or X-GM-MSGID identify messages across mailboxes.
  package var identifiesMessages: Bool {
    session.capabilities.contains(.objectID) || session.capabilities.contains(.gmail)
  }
  /// The server shows only the newest messages of a large mailbox, or may do so with the one that is open.
  package var showsPartOnly: Bool {
    session.quirks.contains(.partialView)
      || session.quirks.contains(.limitedView) && hasFullView
  }
  package var understandsQuickResync: Bool { session.capabilities.contains(.qresync) }
  package var understandsChangedSince: Bool { session.capabilities.contains(.condstore) }

  private var markItems: FetchItems {
    session.capabilities.contains(.gmail) ? [.flags, .gmailLabels] : [.flags]
  }

  private var identityItems: FetchItems {
    var items: FetchItems = markItems.union([.internalDate, .size])
    if session.capabilities.contains(.gmail) {
      items.insert(.gmailIDs)
    } else if session.capabilities.contains(.objectID) {
      items.insert(.emailID)
    }
    return items
  }

  // MARK: Opening

  /// - Parameter known: whose flags and keywords are wanted, if not everyone's; those of other messages are dropped.
  package func open(
    _ target: MailboxTarget, asking question: DeltaQuestion, marksOf known: UIDSet? = nil
  ) throws -> MailboxDelta {
    var commands = [IMAPCommand.select(target.rawName, readOnly: true, sync: sync(question))]
    var handler = DeltaHandler(target: target, labels: labels, known: known)
    func search(_ criteria: SearchCriteria, all: Bool) {
      handler.roles.append(all ? .searchAll : .searchNew)
      commands.append(.uidSearch(criteria))
    }
    func fetchMarks(upTo last: UID, since: ModSequence?) {
      handler.roles.append(.marks)
      commands.append(
        .uidFetch(
          UIDSet(1...max(1, last.rawValue)), asksSizes ? markItems.union(.size) : markItems,
          changedSince: since))
    }
    switch question {
    case .everything(let marksUpTo):
      search(.all, all: true)
      if let marksUpTo { fetchMarks(upTo: marksUpTo, since: nil) }
    case .changedSince(let modSeq, let marksUpTo):
      search(.all, all: true)
      fetchMarks(upTo: marksUpTo, since: modSeq)
    case .quickResync(_, _, let newFrom, let listsAll):
      if listsAll {
        search(.all, all: true)
      } else {
        search(.uids(UIDSet(newFrom.rawValue...UInt32.max)), all: false)
      }
    }
    try session.run(commands, handler: &handler)
    lastExists = handler.counted.last
    hasFullView = handler.counted.reachedLimit
    var delta = try handler.delta()
    delta.vanishedIsDoubtful = session.quirks.contains(.broadVanished)
    return delta
  }

  private func sync(_ question: DeltaQuestion) -> SelectSync {
    switch question {
    case .quickResync(let validity, let modSeq, _, _): .qresync(validity, modSeq, known: nil)
    case .changedSince: .condstore
    case .everything: understandsChangedSince ? .condstore : .plain
    }
  }

  // MARK: Searching

  /// All UIDs of the open mailbox, with EXISTS at that moment.
  package func listAll() throws -> (uids: UIDSet, exists: Int) {
    var handler = ListingHandler(exists: lastExists)
    try session.run(
      [.noop, .uidSearch(.all)], handler: &handler)
    if let refusal = handler.refusal { throw refusal }
    lastExists = handler.counted.last
    hasFullView = hasFullView || handler.counted.reachedLimit
    return (handler.uids, handler.existsAtEnd)
  }

  /// Which of `uids` still exist.
  package func existing(_ uids: UIDSet) throws -> UIDSet {
    var found = UIDSet()
    for chunk in uids.chunks(textLength: session.maximumCommandLength - 200) {
      found = found.union(try search(.uids(chunk)))
    }
    return found.intersection(uids)
  }

  /// UIDs whose INTERNALDATE is not before that day.
  package func arrived(since: Int64) throws -> UIDSet { try search(.since(since)) }

  private func search(_ criteria: SearchCriteria) throws -> UIDSet {
    var handler = ListingHandler(exists: lastExists)
    try session.run([.uidSearch(criteria)], handler: &handler)
    if let refusal = handler.refusal { throw refusal }
    lastExists = handler.counted.last
    return handler.uids
  }

  /// EXISTS of the open mailbox as last heard.
  var lastExists = 0
  /// The open mailbox had, at some point, as many messages as a user may have limited it to.
  private var hasFullView = false

  // MARK: Fetching

  /// Runs requests with several in flight. `next` is asked whenever there is room; nil means nothing just now,
  /// and with nothing in flight it means done.
  ///
  /// - Parameter target: set to open the mailbox first, in the same flight.
  /// - Throws: ``SyncError/uidValidityChanged(_:)`` when it is not the mailbox that was meant.
  package func fetch(
    opening target: MailboxTarget?, next: () throws -> FetchRequest?, into sink: some FetchSink
  ) throws {
    let requests = RequestLog()
    var handler = FetchHandler(sink: sink, labels: labels, target: target, requests: requests)
    if session.quirks.contains(.missingBodies) { handler.substitute = SubstituteText() }
    var opening = target
    var pieces: [FetchRequest] = []  // of one request, where its UIDs do not fit one command line
    try session.pipeline(
      depth: depth,
      next: {
        if let target = opening {
          opening = nil
          requests.append(nil)
          return .select(target.rawName, readOnly: true, sync: .plain)
        }
        if pieces.isEmpty, let request = try next() {
          pieces = request.uids.chunks(textLength: session.maximumCommandLength - 200)
            .map { FetchRequest(request.wanted, $0) }
        }
        guard let request = pieces.popLast() else { return nil }
        requests.append(request)
        return .uidFetch(request.uids, items(request.wanted))
      }, handler: &handler)
  }

  /// Runs one request on the mailbox that is open.
  package func fetch(_ request: FetchRequest, into sink: some FetchSink) throws {
    var left: FetchRequest? = request
    try fetch(
      opening: nil,
      next: {
        defer { left = nil }
        return left
      }, into: sink)
  }

  private func items(_ wanted: FetchRequest.Wanted) -> FetchItems {
    switch wanted {
    case .identities: identityItems
    case .headers: identityItems.union(.header)
    case .bodies: identityItems.union(.body)
    }
  }
}
