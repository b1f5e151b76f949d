import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// A STORE, and the messages that it is for.
struct MarkCommand {
  var change: StoreChange
  var marks: MessageMarks
  /// Gmail keeps what is a keyword here as a label.
  var isLabels = false
  /// Only where nobody else changed the message since (RFC 7162 §3.1.3).
  var unchangedSince: ModSequence?
  var uids = UIDSet()

  var addsKeywords: Bool { change == .add && !isLabels && !marks.keywords.isEmpty }
}

/// What came of a flight of STOREs.
struct StoreOutcome {
  var refused: [UID: TaggedResult] = [:]
  /// Of all that were asked about: servers say OK to a STORE of a message that is not there.
  var present = UIDSet()
  /// Keywords that the server took, and that it shows on none of the messages which they were for.
  var unkept: Keywords = .none

  /// The one that decides what is done next.
  var gravest: TaggedResult? {
    let results = refused.sorted { $0.key < $1.key }.map(\.value)
    return results.first { $0.throttle != nil } ?? results.first { $0.leavesPending }
      ?? results.first
  }
}

/// Flags and keywords as STORE sends them, and what came of it.
struct MarkStore: PushPart {
  let desk: PushDesk

  /// - Parameter keeps: whether the mailbox has a keyword that is no label.
  func commands(
    for deltas: [UID: MarkDelta], since: ModSequence?, keeps: (String) -> Bool = { _ in true }
  ) -> [MarkCommand] {
    struct Group: Hashable {
      var change: StoreChange
      var marks: MessageMarks
      var isConditional: Bool
    }
    var groups: [Group: UIDSet] = [:]
    for (uid, delta) in deltas.sorted(by: { $0.key < $1.key }) {
      let adds = delta.added != MessageMarks()
      if adds {
        let group = Group(change: .add, marks: delta.added, isConditional: since != nil)
        groups[group, default: UIDSet()].insert(uid)
      }
      if delta.removed != MessageMarks() {
        // After a change of our own the message is changed.
        let group = Group(
          change: .remove, marks: delta.removed, isConditional: since != nil && !adds)
        groups[group, default: UIDSet()].insert(uid)
      }
    }
    let all = groups.map {
      MarkCommand(
        change: $0.key.change, marks: $0.key.marks,
        unchangedSince: $0.key.isConditional ? since : nil, uids: $0.value)
    }
    return all.flatMap { split($0, keeps) }.sorted {
      ($0.uids.first ?? UID(0), $0.change.rawValue) < ($1.uids.first ?? UID(0), $1.change.rawValue)
    }
  }

  /// Pieces that the server's command line takes; Gmail's labels apart from the flags.
  private func split(_ command: MarkCommand, _ keeps: (String) -> Bool) -> [MarkCommand] {
    var kinds = [command]
    if known.labels != nil {
      var flags = command
      flags.marks.keywords = Keywords(flags.marks.keywords.filter(keeps))
      var labels = command
      labels.marks = MessageMarks(
        keywords: command.marks.keywords.subtracting(flags.marks.keywords))
      labels.isLabels = true
      kinds = [flags, labels].filter { $0.marks != MessageMarks() }
    }
    return kinds.flatMap { kind in
      kind.uids.chunks(textLength: session.maximumCommandLength - 200).map { uids in
        var piece = kind
        piece.uids = uids
        return piece
      }
    }
  }

  /// Sends the changes; those that another client's change came before are merged with it, and sent again.
  func store(
    _ deltas: [UID: MarkDelta], since: ModSequence?, _ open: borrowing OpenMailbox
  ) throws -> StoreOutcome {
    let (outcome, losers) = try storeOnce(deltas, since: since, open)
    return try merge(deltas, losers, into: outcome, open)
  }

  func merge(
    _ deltas: [UID: MarkDelta], _ losers: UIDSet, into first: StoreOutcome,
    _ open: borrowing OpenMailbox
  ) throws -> StoreOutcome {
    var outcome = first
    guard !losers.isEmpty else { return outcome }
    let now = try open.marks(of: losers)
    var again: [UID: MarkDelta] = [:]
    for (uid, marks) in now where losers.contains(uid) {
      let left = deltas[uid]?.stillToDo(over: marks)
      if let left, !left.isEmpty { again[uid] = left }
    }
    guard !again.isEmpty else { return outcome }
    let second = try storeOnce(again, since: nil, open).outcome
    outcome.refused.merge(second.refused) { first, _ in first }
    outcome.unkept = outcome.unkept.union(second.unkept)
    outcome.present = outcome.present.subtracting(
      UIDSet(again.keys.filter { !second.present.contains($0) }.sorted()))
    return outcome
  }

  private func storeOnce(
    _ deltas: [UID: MarkDelta], since: ModSequence?, _ open: borrowing OpenMailbox
  ) throws -> (outcome: StoreOutcome, losers: UIDSet) {
    let wanted = commands(for: deltas, since: since, keeps: open.facts.lists)
    let all = UIDSet(ranges: wanted.flatMap(\.uids.ranges))
    let nameable = try open.nameable(all)
    let named = wanted.compactMap { command in
      var command = command
      command.uids = command.uids.intersection(nameable)
      return command.uids.isEmpty ? nil : command
    }
    let before = try named.map(request) + presence(of: all)
    let answers = try open.run(before + looks(atKeywordsOf: named, open))
    var (outcome, losers) = try outcome(of: named, from: 0, answers)
    outcome.unkept = unkept(of: named, outcome, losers, answers, lookedFrom: before.count)
    return (outcome, losers)
  }

  /// PERMANENTFLAGS tells what the server means to keep; what it shows afterwards, what it has kept.
  private func looks(atKeywordsOf commands: [MarkCommand], _ open: borrowing OpenMailbox)
    -> [IMAPCommand]
  {
    let adding = commands.filter(\.addsKeywords)
    return open.chunks(UIDSet(ranges: adding.flatMap(\.uids.ranges))).map {
      .uidFetch($0, .flags)
    }
  }

  private func unkept(
    of commands: [MarkCommand], _ outcome: StoreOutcome, _ losers: UIDSet,
    _ answers: ChangeAnswers, lookedFrom first: Int
  ) -> Keywords {
    var shown: [UID: MessageMarks] = [:]
    for (command, marks) in answers.marks where command >= first && answers.isOK(command) {
      shown.merge(marks) { _, last in last }
    }
    var missing: Keywords = .none
    var kept: Keywords = .none
    for command in commands where command.addsKeywords {
      for uid in command.uids.uids where outcome.refused[uid] == nil && !losers.contains(uid) {
        guard let marks = shown[uid] else { continue }
        kept = kept.union(command.marks.keywords.intersection(marks.keywords))
        missing = missing.union(command.marks.keywords.subtracting(marks.keywords))
      }
    }
    return missing.subtracting(kept)
  }

  func request(_ command: MarkCommand) throws -> IMAPCommand {
    if command.isLabels {
      let labels = command.marks.keywords.map { session.names.encode($0) }
      return .uidStoreLabels(command.uids, command.change, labels)
    }
    return try .uidStore(
      command.uids, command.change, flags: command.marks.flags,
      keywords: Array(command.marks.keywords), unchangedSince: command.unchangedSince)
  }

  /// Asks which of them the mailbox has.
  func presence(of uids: UIDSet) -> [IMAPCommand] {
    session.looks(for: uids)
  }

  /// - Parameter first: the number of the first STORE among all commands that were sent.
  func outcome(of commands: [MarkCommand], from first: Int, _ answers: ChangeAnswers) throws -> (
    outcome: StoreOutcome, losers: UIDSet
  ) {
    var outcome = StoreOutcome()
    var losers = UIDSet()
    let all = UIDSet(ranges: commands.flatMap(\.uids.ranges))
    // A refused look tells of nothing that is gone.
    let isTold = answers.results.allSatisfy { $0.key < first + commands.count || $0.value.isOK }
    outcome.present =
      isTold ? answers.allFound.intersection(all) : all
    for (index, command) in commands.enumerated() {
      let result = try answers.result(first + index)
      if case .modified(let uids) = result.code {
        losers = losers.union(uids.intersection(command.uids))
      } else if !result.isOK {
        for uid in command.uids.uids { outcome.refused[uid] = result }
      }
    }
    return (outcome, losers)
  }

  /// What the server took is agreed.
  func commit(_ changes: [ChangedMarks], _ deltas: [UID: MarkDelta], in mailbox: MailboxKey) throws
  {
    guard !deltas.isEmpty else { return }
    let sizes = changes.reduce(into: [UID: Int64]()) { $0[$1.record.uid] = $1.size }
    var agreed: [MessageRecord] = []
    for var record in try state.messages(in: mailbox, UIDSet(deltas.keys.sorted())) {
      guard let delta = deltas[record.uid] else { continue }
      record.agreed = delta.applied(to: record.agreed)
      record.unappliedRemote = record.unappliedRemote.map { delta.applied(to: $0) }
      if let size = sizes[record.uid], !delta.isOfFlagsOnly, policy.keywords.line != nil {
        record.size = size
        record.traits.insert(.hasKeywordsLine)
      }
      agreed.append(record)
      count(.mark, mailbox, detail: delta.description)
    }
    try write { transaction in for record in agreed { try transaction.put(record, in: mailbox) } }
  }
}

extension MarkDelta {
  var isOfFlagsOnly: Bool { added.keywords.isEmpty && removed.keywords.isEmpty }
}
