import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// Flags of many mailboxes in one round trip: where the list of mailboxes, which has just come, tells that a mailbox is
/// the one that the state knows, its SELECT and its STOREs leave together with those of all others. What does not come
/// out well is left to ``MarkStep``, which asks before it changes anything.
///
/// A mailbox that was deleted and made anew between that list and its SELECT would be taken for the old one. So neither
/// keywords nor `\Deleted` travel this way: at worst a message of the new one is flagged. Where the list tells that something
/// changed since the last pull, UIDs may mean other messages by now: the size of one known message is asked for first, in
/// one round trip for all of these mailboxes.
final class MarkFlight: PushPart {
  let desk: PushDesk
  /// Nothing was done since the mailboxes were listed.
  var isListFresh: Bool
  /// A flight is under way: where the connection ends now, that may be why.
  private(set) var isUnderWay = false
  /// What came of changes that left unseen, together with those of other mailboxes.
  private var outcomes: [MailboxKey: Outcome] = [:]
  private var store: MarkStore { MarkStore(desk: desk) }

  init(desk: PushDesk, isListFresh: Bool) {
    self.desk = desk
    self.isListFresh = isListFresh
  }

  typealias Outcome = (outcome: StoreOutcome, losers: UIDSet)

  /// Once: what was done since is not in it.
  func takeOutcome(_ mailbox: MailboxKey) -> Outcome? { outcomes.removeValue(forKey: mailbox) }

  /// One mailbox's part.
  private struct Leg {
    var mailbox: MailboxKey
    var rawName: [UInt8]
    /// Since the last pull.
    var hasChanged: Bool
    var changes: [ChangedMarks]
    var deltas: [UID: MarkDelta]
    var stores: [MarkCommand]
  }

  /// Which flags may be changed unseen.
  private static let plainFlags: MessageFlags = [.seen, .answered, .flagged, .draft]
  /// Mailboxes in one flight.
  private static let most = 50

  /// - Returns: the changes that are still to be made.
  func push(_ changes: [ChangedMarks]) throws -> [ChangedMarks] {
    guard mayFly else { return changes }
    let refused = Set(try state.pushRefusals().map(\.mailbox))
    let all = Dictionary(grouping: changes, by: \.mailbox).filter { !refused.contains($0.key) }
      .compactMap { leg($0.key, $0.value) }.sorted { known.order($0.mailbox, $1.mailbox) }
    var legs = try proven(all)[...]
    var done: [MailboxKey: Set<UID>] = [:]
    while !legs.isEmpty {
      try context.checkInterrupt()
      let flight = Array(legs.prefix(Self.most))
      legs = legs.dropFirst(flight.count)
      let answers = try fly(flight)
      for (leg, answer) in zip(flight, answers) {
        let deltas = try arrived(leg, answer)
        try store.commit(leg.changes, deltas, in: leg.mailbox)
        done[leg.mailbox] = Set(deltas.keys)
      }
    }
    return changes.filter { done[$0.mailbox]?.contains($0.record.uid) != true }
  }

  /// Those whose UIDs mean what they did, as far as can be seen at once.
  private func proven(_ legs: [Leg]) throws -> [Leg] {
    var doubtful: [(leg: Leg, question: ProvenNumbers.Question)] = []
    for leg in legs where leg.hasChanged {
      guard let question = try mailboxes.numbers.question(about: leg.mailbox) else { continue }
      doubtful.append((leg, question))
    }
    var left = Set<MailboxKey>()
    for batch in doubtful.pieces(of: Self.most) {
      try context.checkInterrupt()
      isUnderWay = true
      let sizes = try remote.sizes(of: batch.map { ($0.leg.rawName, $0.question.message.uid) })
      isUnderWay = false
      for (one, size) in zip(batch, sizes) where !mailboxes.numbers.prove(one.question, size: size)
      {
        left.insert(one.leg.mailbox)
      }
    }
    return legs.filter { !left.contains($0.mailbox) }
  }

  private var mayFly: Bool {
    isListFresh && known.labels == nil && !session.quirks.contains(.actsOnNextUID)
      && session.capabilities.contains(.condstore) && session.capabilities.contains(.unselect)
  }

  private func leg(_ mailbox: MailboxKey, _ changes: [ChangedMarks]) -> Leg? {
    guard !mailboxes.isSkipped(mailbox), let record = known.records[mailbox],
      record.uidValidity != 0, record.highestModSeq > 0, !remote.isForeign(record.rawName),
      let status = known.listing(of: record)?.status, status.highestModSeq ?? .none != .none,
      record.objection(to: SelectedMailbox(status)) == nil,
      // Whose name it is by now shows only when it is open (Cyrus 3.6).
      record.mailboxID == nil || status.mailboxID != nil,
      !changes.contains(where: { known.isDoubtful($0.record.uid, in: mailbox) })
    else { return nil }
    var deltas: [UID: MarkDelta] = [:]
    for change in changes {
      let delta = MarkDelta(change)
      let flags = delta.added.flags.union(delta.removed.flags)
      guard delta.isOfFlagsOnly, flags.isSubset(of: Self.plainFlags) else { return nil }
      if !delta.isEmpty { deltas[change.record.uid] = delta }
    }
    guard !deltas.isEmpty else { return nil }
    return Leg(
      mailbox: mailbox, rawName: record.rawName,
      hasChanged: status.highestModSeq?.rawValue != UInt64(record.highestModSeq),
      changes: changes, deltas: deltas,
      stores: store.commands(for: deltas, since: ModSequence(UInt64(record.highestModSeq))))
  }

  private func fly(_ legs: [Leg]) throws -> [ChangeAnswers] {
    let legs = try legs.map { leg in
      let looks = store.presence(of: UIDSet(leg.deltas.keys.sorted()))
      return (leg.rawName, try leg.stores.map(store.request) + looks)
    }
    isUnderWay = true
    let answers = try remote.fly(legs)
    isUnderWay = false
    return answers
  }

  /// What the server has taken of one leg for certain.
  private func arrived(_ leg: Leg, _ answers: ChangeAnswers) throws -> [UID: MarkDelta] {
    let facts = answers.selected
    guard answers.isOK(0), !facts.isReadOnly,
      known.records[leg.mailbox]?.objection(to: facts) == nil
    else { return [:] }
    let (outcome, losers) = try store.outcome(of: leg.stores, from: 1, answers)
    let kept = facts.permanentFlags.map { Set($0.map(Keywords.fold)) }
    let keepable = leg.deltas.filter { _, delta in
      kept.map { delta.without(Self.flags(notIn: $0)) == delta } ?? true
    }
    // It tells of what would be asked now only if all of that can be asked in the same words.
    if keepable.count == leg.deltas.count, facts.highestModSeq != nil {
      outcomes[leg.mailbox] = (outcome, losers)
    }
    return keepable.filter { uid, _ in
      outcome.refused[uid] == nil && !losers.contains(uid) && outcome.present.contains(uid)
    }
  }

  private static func flags(notIn kept: Set<String>) -> UnkeepableMarks {
    let names = MarkDelta.flagNames.filter { !kept.contains($0.0) }
    return UnkeepableMarks(flags: MessageFlags(names.map(\.1)))
  }
}

extension SelectedMailbox {
  /// As far as STATUS tells.
  fileprivate init(_ status: MailboxStatus) {
    self.init()
    uidValidity = status.uidValidity
    uidNext = status.uidNext
    highestModSeq = status.highestModSeq
    mailboxID = status.mailboxID
  }
}
