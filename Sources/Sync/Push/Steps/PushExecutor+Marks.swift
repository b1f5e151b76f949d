import IMAPClient
import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

extension PushExecutor {
  /// Flags and keywords of one mailbox, in as few commands as there are different changes.
  ///
  /// - Parameter areNew: this run has just brought the messages there.
  func push(marks all: [ChangedMarks], in mailbox: Int64, areNew: Bool = false) throws {
    guard !all.isEmpty, try open(mailbox) else { return }
    let changes = areNew ? all : try withoutStrangers(all, in: mailbox)
    var deltas: [UID: MarkDelta] = [:]
    for change in changes {
      let delta = try keepable(MarkDelta(change), mailbox)
      if !delta.isEmpty { deltas[change.record.uid] = delta }
    }
    guard !deltas.isEmpty else { return }
    var tries = try triesSoFar(.marks, mailbox)
    var told = try toldOfAll(deltas, flown.removeValue(forKey: mailbox))
    var lost: [UID] = []
    defer { try? noteLost(lost, mailbox, isTold: false) }
    while true {
      let outcome = try told ?? store(deltas, since: unchangedSince(mailbox))
      told = nil
      // What another client moved or expunged takes its marks along on the next pull.
      for uid in deltas.keys where !outcome.present.contains(uid) {
        deltas[uid] = nil
        lost.append(uid)
      }
      let done = deltas.filter { outcome.refused[$0.key] == nil }
      try commit(changes, done, in: mailbox)
      if !done.isEmpty { try forgive(.marks, mailbox) }
      for uid in done.keys { deltas[uid] = nil }
      guard let gravest = outcome.gravest, !deltas.isEmpty else {
        return try forgetTries(.marks, mailbox)
      }
      try stopIfThrottled(gravest)
      if gravest.isWorthAnotherTry, tries < delays.count {
        try waitBeforeRetry(tries, .marks, mailbox, gravest)
        tries += 1
        continue
      }
      try forgetTries(.marks, mailbox)
      if gravest.leavesPending {
        return try leavePending(deltas.count, .marks, "flags and keywords", gravest, mailbox)
      } else if deltas.count > 1 {
        // One of them may be what the server refuses.
        return try pushSingly(changes, deltas, in: mailbox)
      } else {
        return try setBack(changes, deltas, gravest, in: mailbox)
      }
    }
  }

  /// A flight's outcome, if it tells that each of these was refused, is gone, or was changed by another client before,
  /// which is merged now: then it counts as the first try.
  private func toldOfAll(
    _ deltas: [UID: MarkDelta], _ flown: (outcome: StoreOutcome, losers: UIDSet)?
  ) throws -> StoreOutcome? {
    guard let (outcome, losers) = flown else { return nil }
    let isTold = deltas.keys.allSatisfy {
      outcome.refused[$0] != nil || losers.contains($0) || !outcome.present.contains($0)
    }
    return isTold ? try merge(deltas, losers, into: outcome) : nil
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
          try leavePending(1, .marks, "flags and keywords", refusal, mailbox)
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

  /// Leaves out what this mailbox cannot keep, and says so once.
  private func keepable(_ delta: MarkDelta, _ mailbox: Int64) throws -> MarkDelta {
    var marks = UnkeepableMarks(flags: unkeepable[mailbox] ?? [])
    // On Gmail a mailbox's name is no keyword to be taken off, either.
    let named = remote.isGmail ? delta.removed.keywords : .none
    for keyword in delta.added.keywords.union(named) where !keepsKeyword(keyword, remote.facts) {
      marks.keywords.insert(Keywords.fold(keyword))
    }
    let kept = delta.without(marks)
    guard kept != delta else { return delta }
    let told = try state.pushRefusals()
    for (subject, words) in marks.named(in: delta).refusals
    where !told.contains(where: { $0.mailbox == mailbox && $0.subject == subject }) {
      try refuse(mailbox, subject, "not kept by the server")
      context.note(
        RunProblem(
          mailbox: self.name(mailbox),
          problem: "The server cannot keep \(words) in this mailbox: it stays on this side only.",
          exitStatus: .done))
    }
    return kept
  }

  /// What the server took is agreed.
  func commit(
    _ changes: [ChangedMarks], _ deltas: [UID: MarkDelta], in mailbox: Int64
  ) throws {
    guard !deltas.isEmpty else { return }
    let sizes = changes.reduce(into: [UID: Int64]()) { $0[$1.record.uid] = $1.size }
    var records: [MessageRecord] = []
    for var record in try state.messages(in: mailbox, UIDSet(deltas.keys.sorted())) {
      guard let delta = deltas[record.uid] else { continue }
      record.agreed = delta.applied(to: record.agreed)
      record.unappliedRemote = record.unappliedRemote.map { delta.applied(to: $0) }
      if let size = sizes[record.uid], !delta.isOfFlagsOnly, policy.keywords.line != nil {
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
    case .noPermission, .cannot, .overQuota, .alreadyExists, .nonExistent, .tryCreate, .tooBig:
      false
    default: status == .no
    }
  }

  /// It passes, or somebody else has to give a right: no reason to undo what a person did.
  var leavesPending: Bool { isTransient || code == .noPermission }

  /// The server said OK, and what was to go is still there: that is not done, and waits for the next push. Nothing that
  /// a person did is undone for it.
  static func stillThere(_ count: Int) -> TaggedResult {
    TaggedResult(
      status: .no, code: .unavailable,
      text: "it says OK, and \(count) messages are still where they were")
  }

  /// `: “words”`, safe for terminals.
  var quoted: String { text.isEmpty ? "" : " (“\(String(text.prefix(300)).visible)”)" }
}
