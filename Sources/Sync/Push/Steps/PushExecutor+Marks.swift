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
  var uids = UIDSet()
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
    var left = commands(for: deltas)
    while true {
      let (refused, present) = try store(left)
      // What another client moved or expunged takes its marks along on the next pull.
      for uid in deltas.keys where !present.contains(uid) { deltas[uid] = nil }
      let done = deltas.filter { uid, _ in !refused.contains { $0.command.uids.contains(uid) } }
      try commit(changes, done, in: mailbox)
      for uid in done.keys { deltas[uid] = nil }
      guard let first = refused.first else { return }
      if first.result.isWorthAnotherTry, tries < delays.count {
        try waitBeforeRetry(tries)
        tries += 1
        left = commands(for: deltas)
      } else if deltas.count > 1 {
        // One of them may be what the server refuses.
        try pushSingly(changes, deltas, in: mailbox)
        return
      } else {
        try setBack(changes.filter { deltas[$0.record.uid] != nil }, first.result, in: mailbox)
        return
      }
    }
  }

  private func pushSingly(
    _ changes: [ChangedMarks], _ deltas: [UID: MarkDelta], in mailbox: Int64
  ) throws {
    for change in changes {
      guard let delta = deltas[change.record.uid] else { continue }
      try context.checkInterrupt()
      let (refused, present) = try store(commands(for: [change.record.uid: delta]))
      if let refusal = refused.first {
        try setBack([change], refusal.result, in: mailbox)
      } else if present.contains(change.record.uid) {
        try commit([change], [change.record.uid: delta], in: mailbox)
      }
    }
  }

  func waitBeforeRetry(_ tries: Int) throws {
    context.observer.entered(.retryScheduled, account: context.account)
    guard context.interrupt.wait(seconds: delays[tries]) else { throw SyncError.interrupted }
  }

  /// Leaves out what this mailbox cannot keep, and says so once.
  private func keepable(_ delta: MarkDelta, _ mailbox: Int64) throws -> MarkDelta {
    var names = unkeepable[mailbox] ?? []
    if !remote.isGmail {
      for keyword in delta.added.keywords where !keepsKeyword(keyword, remote.facts) {
        names.insert(Keywords.fold(keyword))
      }
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

  private func commands(for deltas: [UID: MarkDelta]) -> [MarkCommand] {
    var added: [MessageMarks: UIDSet] = [:]
    var removed: [MessageMarks: UIDSet] = [:]
    for (uid, delta) in deltas.sorted(by: { $0.key < $1.key }) {
      if delta.added != MessageMarks() { added[delta.added, default: UIDSet()].insert(uid) }
      if delta.removed != MessageMarks() { removed[delta.removed, default: UIDSet()].insert(uid) }
    }
    let all =
      added.map { MarkCommand(change: .add, marks: $0.key, uids: $0.value) }
      + removed.map { MarkCommand(change: .remove, marks: $0.key, uids: $0.value) }
    return all.flatMap(split).sorted { ($0.uids.first ?? UID(0)) < ($1.uids.first ?? UID(0)) }
  }

  /// Pieces that the server's command line takes; Gmail's labels apart from the flags.
  private func split(_ command: MarkCommand) -> [MarkCommand] {
    var kinds = [command]
    if remote.isGmail {
      var flags = command
      flags.marks.keywords = .none
      var labels = command
      labels.marks.flags = []
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

  /// Returns what was refused, and which of the messages are there: servers say OK to a STORE of one that is not.
  private func store(_ commands: [MarkCommand]) throws -> (
    refused: [(command: MarkCommand, result: TaggedResult)], present: UIDSet
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
          keywords: Array(command.marks.keywords))
      } + checks.map { .uidSearch(.uids($0)) })
    let present = UIDSet(ranges: answers.found.values.flatMap(\.ranges)).intersection(all)
    let refused = commands.enumerated().compactMap { index, command in
      answers.results[index].flatMap { $0.isOK ? nil : (command: command, result: $0) }
    }
    return (refused, present)
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
  private func setBack(_ changes: [ChangedMarks], _ result: TaggedResult, in mailbox: Int64) throws
  {
    for change in changes {
      guard let record = try state.message(in: mailbox, change.record.uid) else { continue }
      if let folder = try context.folder(ofMailbox: mailbox) {
        try folder.withFile(record.name, lastFlags: change.local.flags) { file in
          var kept = record
          let keywords =
            policy.keywords.keeps
            ? try folder.localKeywords(of: file, record: record) : record.agreed.keywords
          let local = MessageMarks(flags: file.fileName.flags, keywords: keywords)
          // Only what was asked for and refused; a change of the last second waits for its own push.
          let refused = MarkDelta(agreed: change.local, local: record.agreed)
          let wanted = refused.applied(to: local)
          if wanted != local { try folder.apply(wanted, over: local, to: file, &kept) }
          try folder.sync()
          try state.transaction { try $0.put(kept, in: mailbox) }
          context.noteChange()
        }
      }
      context.note(
        RunProblem(
          mailbox: name(mailbox), uid: record.uid.rawValue,
          problem: "The server refuses \(MarkDelta(change).description)\(result.quoted); "
            + "the message here is set back to the server's state."))
      count(PushAction(.refused, mailbox: name(mailbox), detail: MarkDelta(change).description))
    }
  }
}

extension MarkDelta {
  var isOfFlagsOnly: Bool { added.keywords.isEmpty && removed.keywords.isEmpty }
}

extension TaggedResult {
  /// Not where the server says that it is for good (RFC 5530).
  var isWorthAnotherTry: Bool {
    switch code {
    case .noPermission, .cannot, .overQuota, .alreadyExists, .nonExistent, .tooBig, .limit: false
    default: status == .no
    }
  }

  /// `: “words”`, safe for terminals.
  var quoted: String { text.isEmpty ? "" : " (“\(String(text.prefix(300)).visible)”)" }
}
