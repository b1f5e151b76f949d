import IMAPClient
import IMAPWire
import MailCore
import SyncPlan

/// What changed in a mailbox.
extension OpenMailbox {
  /// The server tells by its count whether it leaves messages out, and leaves none out here.
  package var surelyShowsAll: Bool {
    session.quirks.contains(.limitedView) && !selection.counted.reachedLimit
  }

  /// Where a server tells by its count whether it leaves messages out, these are the counts.
  package static var viewLimits: [Int] { ExistsCount.limits }

  /// Its lists may leave out what the next one shows.
  package var needsTwoLooks: Bool { session.quirks.contains(.twoLooks) }

  /// The server shows only the newest messages of a large mailbox, or may do so with this one.
  package var showsPartOnly: Bool {
    session.quirks.contains(.partialView)
      || session.quirks.contains(.limitedView) && selection.counted.reachedLimit
  }

  /// It may be those of so many days, whatever their numbers.
  package var mayShowByDay: Bool { session.quirks.contains(.partialView) }

  var understandsQuickResync: Bool { session.capabilities.contains(.qresync) }
  var understandsChangedSince: Bool { session.capabilities.contains(.condstore) }

  /// Selects the mailbox, if need be again, and asks in the same flight.
  ///
  /// - Parameters:
  ///   - known: whose flags and keywords are wanted, if not everyone's; those of other messages are dropped.
  ///   - wantsSizes: sizes are asked for with the flags.
  ///   - probe: a message whose size is asked for besides.
  ///   - isLast: for now nothing else is to be asked for in this mailbox.
  package func delta(
    asking question: DeltaQuestion, marksOf known: UIDSet? = nil, wantsSizes: Bool = false,
    probing probe: UID? = nil, isLast: Bool = false
  ) throws -> MailboxDelta {
    checkIsOpen()
    var flight = flight(to: selection.target, asking: question, wantsSizes: wantsSizes)
    var handler = DeltaHandler(target: selection.target, labels: labels, known: known)
    if let probe {
      handler.probe = probe
      flight.roles.append(.probe)
      flight.commands.append(.uidFetch(UIDSet([probe]), .size))
    }
    handler.roles = flight.roles
    var rest = flight.commands[...]
    try session.pipeline(
      depth: .max,
      next: {
        if let command = rest.popFirst() { return command }
        if isLast { _ = try goOn() }
        return nil
      }, handler: &handler)
    selection.counted = handler.counted
    var delta = try handler.delta()
    selection.isOpen = !session.hasSentAhead
    selection.validity = delta.uidValidity
    delta.vanishedIsDoubtful = session.quirks.contains(.broadVanished)
    return delta
  }

  /// The commands that open a mailbox and ask, and what those after the first one are for.
  func flight(to target: MailboxTarget, asking question: DeltaQuestion, wantsSizes: Bool = false)
    -> (commands: [IMAPCommand], roles: [DeltaHandler.Role])
  {
    var commands = [IMAPCommand.select(target.rawName, readOnly: true, sync: sync(question))]
    var roles: [DeltaHandler.Role] = []
    func search(_ criteria: SearchCriteria, all: Bool) {
      roles.append(all ? .searchAll : .searchNew)
      commands.append(.uidSearch(criteria))
    }
    func fetchMarks(upTo last: UID, since: ModSequence?) {
      roles.append(.marks)
      commands.append(
        .uidFetch(
          UIDSet(1...max(1, last.rawValue)), wantsSizes ? markItems.union(.size) : markItems,
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
    return (commands, roles)
  }

  private func sync(_ question: DeltaQuestion) -> SelectSync {
    switch question {
    case .quickResync(let validity, let modSeq, _, _): .qresync(validity, modSeq, known: nil)
    case .changedSince: .condstore
    case .everything: understandsChangedSince ? .condstore : .plain
    }
  }

  /// All UIDs, with EXISTS at that moment.
  package func listAll() throws -> (uids: UIDSet, exists: Int) {
    checkIsOpen()
    try openIfNeeded()
    var handler = DeltaHandler(
      target: selection.target, labels: labels, counted: selection.counted)
    handler.roles = [.searchAll]
    try session.run([.noop, .uidSearch(.all)], handler: &handler)
    selection.counted = handler.counted
    return try handler.listing()
  }
}
