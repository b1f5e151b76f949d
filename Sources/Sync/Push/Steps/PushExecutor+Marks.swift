import IMAPClient
import IMAPWire
import MailCore
import Maildir
import State

/// A STORE, and the messages that it is for.
private struct MarkCommand {
  var change: StoreChange
  var marks: MessageMarks
  /// Gmail keeps what is a keyword here as a label.
  var isLabels = false
  /// Only where nobody else changed the message since (RFC 7162 §3.1.3).
  var unchangedSince: ModSequence?
  var uids = UIDSet()
}

/// What came of a flight of STOREs.
private struct StoreOutcome {
  var refused: [UID: TaggedResult] = [:]
  /// Of all that were asked about: servers say OK to a STORE of a message that is not there.
  var present = UIDSet()

  /// The one that decides what is done next.
  var gravest: TaggedResult? {
    let results = refused.sorted { $0.key < $1.key }.map(\.value)
    return results.first { $0.throttle != nil } ?? results.first { $0.leavesPending }
      ?? results.first
  }
}

extension PushExecutor {
  /// Flags and keywords of one mailbox, in as few commands as there are different changes.
  func push(marks changes: [ChangedMarks], in mailbox: Int64) throws {
    guard !changes.isEmpty, try open(mailbox) else { return }
    var deltas: [UID: MarkDelta] = [:]
    for change in changes {
      let delta = try keepable(MarkDelta(change), mailbox)
      if !delta.isEmpty { deltas[change.record.uid] = delta }
    }
    guard !deltas.isEmpty else { return }
    var tries = 0
    var lost: [UID] = []
    defer { try? noteLost(lost, mailbox, isTold: false) }
    while true {
      let outcome = try store(deltas, since: unchangedSince(mailbox))
      // What another client moved or expunged takes its marks along on the next pull.
      for uid in deltas.keys where !outcome.present.contains(uid) {
        deltas[uid] = nil
        lost.append(uid)
      }
      let done = deltas.filter { outcome.refused[$0.key] == nil }
      try commit(changes, done, in: mailbox)
      for uid in done.keys { deltas[uid] = nil }
      guard let gravest = outcome.gravest, !deltas.isEmpty else { return }
      try stopIfThrottled(gravest)
      if gravest.isWorthAnotherTry, tries < delays.count {
        try waitBeforeRetry(tries)
        tries += 1
      } else if gravest.leavesPending {
        return try leavePending(deltas.count, "marks", "flags and keywords", gravest, mailbox)
      } else if deltas.count > 1 {
        // One of them may be what the server refuses.
        return try pushSingly(changes, deltas, in: mailbox)
      } else {
        return try setBack(changes, deltas, gravest, in: mailbox)
      }
    }
  }

  private func pushSingly(
    _ changes: [ChangedMarks], _ deltas: [UID: MarkDelta], in mailbox: Int64
  ) throws {
    for change in changes {
      guard let delta = deltas[change.record.uid] else { continue }
      try context.checkInterrupt()
      let single = [change.record.uid: delta]
      let outcome = try store(single, since: unchangedSince(mailbox))
      if let refusal = outcome.gravest {
        try stopIfThrottled(refusal)
        if refusal.leavesPending {
          try leavePending(1, "marks", "flags and keywords", refusal, mailbox)
        } else {
          try setBack([change], single, refusal, in: mailbox)
        }
      } else if outcome.present.contains(change.record.uid) {
        try commit([change], single, in: mailbox)
      }
    }
  }

  /// HIGHESTMODSEQ as of the last pull, where the server keeps it and the mailbox has it.
  private func unchangedSince(_ mailbox: Int64) -> ModSequence? {
    guard remote.session.capabilities.contains(.condstore), remote.facts.highestModSeq != nil,
      let known = records[mailbox]?.highestModSeq, known > 0
    else { return nil }
    return ModSequence(UInt64(known))
  }

  func waitBeforeRetry(_ tries: Int) throws {
    context.observer.entered(.retryScheduled, account: context.account)
    guard context.interrupt.wait(seconds: delays[tries]) else { throw SyncError.interrupted }
  }

  /// Leaves out what this mailbox cannot keep, and says so once.
  private func keepable(_ delta: MarkDelta, _ mailbox: Int64) throws -> MarkDelta {
    var names = unkeepable[mailbox] ?? []
    // On Gmail a mailbox's name is no keyword to be taken off, either.
    let named = remote.isGmail ? delta.removed.keywords : .none
    for keyword in delta.added.keywords.union(named) where !keepsKeyword(keyword, remote.facts) {
      names.insert(Keywords.fold(keyword))
    }
    let kept = delta.without(names)
    guard kept != delta else { return delta }
    let lost = names.filter { delta.without([$0]) != delta }
    let told = try state.pushRefusals()
    for name in lost.sorted()
    where !told.contains(where: { $0.mailbox == mailbox && $0.subject == "keyword \(name)" }) {
      try refuse(mailbox, "keyword \(name)", "not kept by the server")
      context.note(
        RunProblem(
          mailbox: self.name(mailbox),
          problem: "The server cannot keep “\(name)” in this mailbox: it stays on this side only.",
          exitStatus: .done))
    }
    return kept
  }

  private func commands(for deltas: [UID: MarkDelta], since: ModSequence?) -> [MarkCommand] {
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
        // Behind a change of our own the message is changed.
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
    return all.flatMap(split).sorted {
      ($0.uids.first ?? UID(0), $0.change.rawValue) < ($1.uids.first ?? UID(0), $1.change.rawValue)
    }
  }

  /// Pieces that the server's command line takes; Gmail's labels apart from the flags.
  private func split(_ command: MarkCommand) -> [MarkCommand] {
    var kinds = [command]
    if remote.isGmail {
      var flags = command
      flags.marks.keywords = Keywords(flags.marks.keywords.filter(remote.facts.lists))
      var labels = command
      labels.marks = MessageMarks(
        keywords: command.marks.keywords.subtracting(flags.marks.keywords))
      labels.isLabels = true
      kinds = [flags, labels].filter { $0.marks != MessageMarks() }
    }
    return kinds.flatMap { kind in
      kind.uids.chunks(textLength: remote.session.maximumCommandLength - 200).map { uids in
        var piece = kind
        piece.uids = uids
        return piece
      }
    }
  }

  /// Sends the changes; those that another client's change came before are merged with it, and sent again.
  private func store(_ deltas: [UID: MarkDelta], since: ModSequence?) throws -> StoreOutcome {
    var (outcome, losers) = try storeOnce(commands(for: deltas, since: since))
    guard !losers.isEmpty else { return outcome }
    let now = try remote.marks(of: losers)
    var again: [UID: MarkDelta] = [:]
    for (uid, marks) in now where losers.contains(uid) {
      let left = deltas[uid]?.stillToDo(over: marks)
      if let left, !left.isEmpty { again[uid] = left }
    }
    guard !again.isEmpty else { return outcome }
    let second = try storeOnce(commands(for: again, since: nil)).outcome
    outcome.refused.merge(second.refused) { first, _ in first }
    outcome.present = outcome.present.subtracting(
      UIDSet(again.keys.filter { !second.present.contains($0) }.sorted()))
    return outcome
  }

  private func storeOnce(_ commands: [MarkCommand]) throws -> (
    outcome: StoreOutcome, losers: UIDSet
  ) {
    let all = UIDSet(ranges: commands.flatMap(\.uids.ranges))
    let checks = all.chunks(textLength: remote.session.maximumCommandLength - 100)
    let answers = try remote.run(
      commands.map { command in
        if command.isLabels {
          let labels = command.marks.keywords.map { remote.session.names.encode($0) }
          return .uidStoreLabels(command.uids, command.change, labels)
        }
        return try .uidStore(
          command.uids, command.change, flags: command.marks.flags,
          keywords: Array(command.marks.keywords), unchangedSince: command.unchangedSince)
      } + checks.map { .uidSearch(.uids($0)) })
    var outcome = StoreOutcome()
    var losers = UIDSet()
    outcome.present = UIDSet(ranges: answers.found.values.flatMap(\.ranges)).intersection(all)
    for (index, command) in commands.enumerated() {
      guard let result = answers.results[index] else { throw IMAPError.sessionOver }
      if case .modified(let uids) = result.code {
        losers = losers.union(uids.intersection(command.uids))
      } else if !result.isOK {
        for uid in command.uids.uids { outcome.refused[uid] = result }
      }
    }
    return (outcome, losers)
  }

  /// What the server took is agreed.
  private func commit(
    _ changes: [ChangedMarks], _ deltas: [UID: MarkDelta], in mailbox: Int64
  ) throws {
    guard !deltas.isEmpty else { return }
    var records: [MessageRecord] = []
    for change in changes {
      guard let delta = deltas[change.record.uid],
        var record = try state.message(in: mailbox, change.record.uid)
      else { continue }
      record.agreed = delta.applied(to: record.agreed)
      record.unappliedRemote = record.unappliedRemote.map { delta.applied(to: $0) }
      if let size = change.size, !delta.isOfFlagsOnly, policy.keywords.line != nil {
        record.size = size
        record.traits.insert(.hasKeywordsLine)
      }
      records.append(record)
      count(PushAction(.mark, mailbox: name(mailbox), detail: delta.description))
    }
    try state.transaction { transaction in
      for record in records { try transaction.put(record, in: mailbox) }
    }
    context.noteChange()
  }

  /// Refused for good: the file shows the server's state again, and the person is told.
  private func setBack(
    _ changes: [ChangedMarks], _ deltas: [UID: MarkDelta], _ result: TaggedResult,
    in mailbox: Int64
  ) throws {
    for change in changes {
      guard let refused = deltas[change.record.uid],
        let record = try state.message(in: mailbox, change.record.uid)
      else { continue }
      if let folder = try context.folder(ofMailbox: mailbox) {
        try folder.withFile(record.name, lastFlags: change.local.flags) { file in
          var kept = record
          let keywords =
            policy.keywords.keeps
            ? try folder.localKeywords(of: file, record: record) : record.agreed.keywords
          let local = MessageMarks(flags: file.fileName.flags, keywords: keywords)
          // Only what was asked for and refused: what the server cannot keep at all stays, and a change of the last
          // second waits for its own push.
          let wanted = refused.inverse.applied(to: local)
          if wanted != local { try folder.apply(wanted, over: local, to: file, &kept) }
          try folder.sync()
          try state.transaction { try $0.put(kept, in: mailbox) }
          context.noteChange()
        }
      }
      context.note(
        RunProblem(
          mailbox: name(mailbox), uid: record.uid.rawValue,
          problem: "The server refuses \(refused.description)\(result.quoted); "
            + "the message here is set back to the server's state."))
      count(PushAction(.refused, mailbox: name(mailbox), detail: refused.description))
    }
  }
}

extension MarkDelta {
  var isOfFlagsOnly: Bool { added.keywords.isEmpty && removed.keywords.isEmpty }
}

extension TaggedResult {
  /// Not where the server says that it is for good (RFC 5530).
  var isWorthAnotherTry: Bool {
    if isTransient { return true }
    return switch code {
    case .noPermission, .cannot, .overQuota, .alreadyExists, .nonExistent, .tooBig: false
    default: status == .no
    }
  }

  /// It passes, or somebody else has to give a right: no reason to undo what a person did.
  var leavesPending: Bool { isTransient || code == .noPermission }

  /// `: “words”`, safe for terminals.
  var quoted: String { text.isEmpty ? "" : " (“\(String(text.prefix(300)).visible)”)" }
}
