import MailCore

/// What a mailbox is known to hold, before the server is asked.
package struct KnownMessages: Sendable {
  /// UIDs with a record: kept, pruned, or missing in the tree.
  package var recorded: UIDSet
  /// UIDs that could not be pulled so far.
  package var failed: UIDSet
  /// Those recorded that only a push knows: the server reported their UIDs, and no pull has seen them yet.
  package var pushed: UIDSet
  /// Those recorded that the server showed no longer when it was last asked, without saying that they were expunged.
  package var outOfView: UIDSet
  /// What a list some minutes ago left out, too; nil where one look is enough.
  package var missedBefore: UIDSet?

  package init(
    recorded: UIDSet, failed: UIDSet = UIDSet(), pushed: UIDSet = UIDSet(),
    outOfView: UIDSet = UIDSet()
  ) {
    self.recorded = recorded
    self.failed = failed.subtracting(recorded)
    self.pushed = pushed.intersection(recorded)
    self.outOfView = outOfView.intersection(recorded)
  }

  /// Messages of a push that a session knows nothing of yet: it lags (Gmail, Fastmail, replicas), which shows in
  /// a UIDNEXT that is not beyond them. Their absence is no evidence (promise 3).
  ///
  /// - Parameter uidNext: as the session reported it; 0 where it reported none.
  package func unseen(uidNext: UInt32, shown: UIDSet) -> UIDSet {
    guard uidNext > 0, !pushed.isEmpty else { return UIDSet() }
    return pushed.intersection(UIDSet(uidNext...UInt32.max)).subtracting(shown)
  }
}

/// What to do with one mailbox's messages, apart from flags and keywords.
package struct PullPlan: Sendable, Equatable {
  /// On the server, not here.
  package var missing = UIDSet()
  /// The server proved that it expunged them (promise 3).
  package var expunged = UIDSet()
  /// What a push brought there and this session does not show yet: neither missing nor expunged.
  package var unseen = UIDSet()
  /// Not shown, and nothing says that they were expunged: they wait until the server says so, or the person.
  package var outOfView = UIDSet()
  /// Below what a partial view shows: kept, without a word.
  package var belowView = UIDSet()
  /// Left out of a list for the first time, where two looks are needed.
  package var missedOnce = UIDSet()
  /// Why nothing counts as expunged yet.
  package var doubt: Doubt?

  package enum Doubt: Sendable, Equatable {
    /// The counts do not agree: every UID has to be listed.
    case needsListing
    /// Even the whole listing disagrees with EXISTS.
    case listingIncomplete(missing: Int)
  }

  /// All that is recorded and that the server does not show, whatever the reason: where its view ends, they do not tell.
  package var notShown: UIDSet {
    [expunged, unseen, outOfView, belowView, missedOnce].reduce(UIDSet()) { $0.union($1) }
  }
}

/// Pure: what is known and what the server says make a plan. No clock, no socket, no disk.
package enum PullPlanner {
  /// - Parameter viewIsPartial: the server shows only the newest messages of a large mailbox (Yahoo, or a limit that
  ///   a Gmail user set): what lies below the lowest UID shown is out of view, not expunged.
  package static func plan(
    known: KnownMessages, delta: MailboxDelta, viewIsPartial: Bool = false
  ) -> PullPlan {
    if let listed = delta.listed {
      return plan(
        known: known, listed: listed, exists: delta.exists, uidNext: delta.uidNext,
        vanished: delta.vanished, viewIsPartial: viewIsPartial)
    }
    var plan = PullPlan()
    plan.missing = delta.new.subtracting(known.recorded)
      .union(known.failed.subtracting(delta.vanished))
    plan.decide(known.unseen(uidNext: delta.uidNext, shown: delta.new), .beyondUIDNext)
    plan.decide(known.outOfView.subtracting(delta.vanished), .outOfView)
    // Silence is not absence, and VANISHED may name too many.
    let recorded = known.recorded.subtracting(plan.unseen).subtracting(plan.outOfView)
    let vanished = recorded.intersection(delta.vanished)
    plan.decide(
      vanished, .vanished,
      excess: recorded.count - vanished.count + plan.missing.count - delta.exists,
      vanishedIsDoubtful: delta.vanishedIsDoubtful)
    return plan
  }

  /// From a listing of all UIDs.
  ///
  /// - Parameter vanished: what the server itself said that it expunged.
  package static func plan(
    known: KnownMessages, listed: UIDSet, exists: Int, uidNext: UInt32,
    vanished: UIDSet = UIDSet(), viewIsPartial: Bool = false
  ) -> PullPlan {
    var plan = PullPlan()
    plan.missing = listed.subtracting(known.recorded)
    plan.decide(known.unseen(uidNext: uidNext, shown: listed), .beyondUIDNext)
    var absent = known.recorded.subtracting(listed).subtracting(plan.unseen)
    plan.decide(known.outOfView.intersection(absent).subtracting(vanished), .outOfView)
    absent = absent.subtracting(plan.outOfView)
    if viewIsPartial {
      let inView = inView(absent, listed: listed)
      plan.decide(absent.subtracting(inView), .belowView)
      absent = inView
    }
    if let before = known.missedBefore {
      plan.decide(absent.subtracting(before), .missedOnce)
      absent = absent.intersection(before)
    }
    plan.decide(absent, .leftOut, excess: listed.count - exists)
    return plan
  }

  /// Of what a listing of the newest messages leaves out: what would be in it, were it there.
  package static func inView(_ absent: UIDSet, listed: UIDSet) -> UIDSet {
    absent.intersection(UIDSet((listed.first?.rawValue ?? .max)...UInt32.max))
  }
}

extension PullPlan {
  /// - Parameter excess: by how many the messages that would remain are more than EXISTS.
  fileprivate mutating func decide(
    _ uids: UIDSet, _ reason: NotShown.Reason, excess: Int = 0, vanishedIsDoubtful: Bool = false
  ) {
    let messages = NotShown(
      reason: reason, count: uids.count, excess: excess, vanishedIsDoubtful: vanishedIsDoubtful)
    switch Rules.notShown.outcome(of: messages) {
    case .leave: belowView = belowView.union(uids)
    case .waitForServer: unseen = uids
    case .waitForSecondLook: missedOnce = uids
    case .keepOutOfView: outOfView = uids
    case .unlink: expunged = uids
    case .askForList: doubt = .needsListing
    case .doubtList: doubt = .listingIncomplete(missing: max(0, -excess))
    }
  }
}
