import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

extension PushExecutor {
  /// Sends new messages to one mailbox. Each is recorded before it is sent: one whose answer is lost is looked for
  /// before it is sent again (``recover()``).
  func push(uploads: [PushPlan.PlannedUpload], to mailbox: Int64) throws {
    guard !uploads.isEmpty, try open(mailbox) else { return }
    var rest = uploads
    var tries = 0
    while true {
      let again = try sendAll(rest, to: mailbox)
      guard !again.isEmpty else { return }
      try wait(beforeRetry: tries)
      tries += 1
      rest = again
    }
  }

  /// Leaves out files whose like was to be moved away, and was not.
  func withoutRepeats(_ uploads: [PushPlan.PlannedUpload], in mailbox: Int64) throws
    -> [PushPlan.PlannedUpload]
  {
    let hashes = Set(uploads.filter(\.followsMove).map(\.file.digest.contentHash))
    let held = try state.contents(in: mailbox, among: hashes)
    return uploads.filter { !$0.followsMove || held[$0.file.digest.contentHash] == nil }
  }

  /// - Returns: those that were refused, and that another try is worth.
  private func sendAll(_ uploads: [PushPlan.PlannedUpload], to mailbox: Int64) throws
    -> [PushPlan.PlannedUpload]
  {
    var rest = uploads[...]
    var again: [PushPlan.PlannedUpload] = []
    while !rest.isEmpty {
      try context.checkInterrupt()
      var batch: [PushPlan.PlannedUpload] = []
      var size: UInt64 = 0
      let most = remote.session.quirks.contains(.serialAppend) ? 1 : 50
      while let next = rest.first, batch.count < most, batch.isEmpty || size < 4 << 20 {
        batch.append(next)
        size += next.file.digest.serverSize
        rest.removeFirst()
      }
      guard try send(batch, to: mailbox, &again) else { break }
    }
    return again
  }

  /// - Returns: false where no more is to be sent to this mailbox now.
  private func send(
    _ batch: [PushPlan.PlannedUpload], to mailbox: Int64, _ again: inout [PushPlan.PlannedUpload]
  ) throws -> Bool {
    guard let goal = records[mailbox] else { return false }
    var steps: [(step: PushStep, upload: PushPlan.PlannedUpload)] = []
    var commands: [IMAPCommand] = []
    var number = try nextStepNumber()
    for upload in batch {
      guard let body = try body(of: upload, in: mailbox) else { continue }
      let record = try sent(upload, to: mailbox)
      commands.append(
        try .append(
          to: goal.rawName, marks: record.agreed, internalDate: record.internalDate, body: body))
      steps.append(
        (
          PushStep(
            number: number, kind: .append, target: mailbox, record: record,
            source: upload.replaces == nil ? 0 : mailbox,
            sourceUID: upload.replaces?.uid ?? UID(0),
            sourceValidity: upload.replaces == nil ? 0 : goal.uidValidity,
            sourceHeaderHash: upload.replaces?.headerHash ?? 0,
            sourceContentHash: upload.replaces?.contentHash ?? 0,
            uidValidity: remote.facts.uidValidity?.rawValue ?? goal.uidValidity,
            uidNext: remote.facts.uidNext?.rawValue ?? uidNext(goal)), upload
        ))
      number += 1
    }
    guard !steps.isEmpty else { return true }
    try put(steps.map(\.step))
    let answers = try remote.run(commands)
    var goesOn = true
    var unplaced: [PushStep] = []
    var placed: [PushStep] = []
    var throttled: TaggedResult?
    var denials: [TaggedResult] = []
    for (index, (step, upload)) in steps.enumerated() {
      guard let result = answers.results[index] else { throw IMAPError.sessionOver }
      if result.code == .noPermission, !result.isOK {
        try state.transaction { try $0.removeStep(step.number) }
        denials.append(result)
      } else if !result.isOK {
        goesOn = try refused(upload, step, result, mailbox, &again) && goesOn
        if result.throttle != nil { throttled = result }
      } else if let uid = try place(result, in: mailbox) {
        if remote.isGmail { placed.append(step.taken(at: uid)) } else { try arrived(step, at: uid) }
      } else {
        unplaced.append(step.taken())
      }
    }
    try put(placed + unplaced)
    unplaced += try arriveOnGmail(placed, in: mailbox)
    if !unplaced.isEmpty { try lookFor(unplaced, in: mailbox) }
    if remote.session.quirks.contains(.flagsAfterAppend) {
      try pushMarks(of: steps.map(\.upload), in: mailbox)
    }
    if let throttled { try stopIfThrottled(throttled) }
    if let denial = denials.first {
      try leavePending(denials.count, .uploads, "new messages", denial, mailbox)
      return false
    }
    return goesOn
  }

  /// Exchange loses \Flagged in APPEND: nothing is agreed yet, and all marks follow as a person's changes do.
  private func pushMarks(of uploads: [PushPlan.PlannedUpload], in mailbox: Int64) throws {
    var changes: [ChangedMarks] = []
    for upload in uploads where upload.file.marks != MessageMarks() {
      let uids = try state.contents(in: mailbox, among: [upload.file.digest.contentHash])
      for uid in uids.values.joined() {
        guard let record = try state.message(in: mailbox, uid), record.name == upload.file.file.base
        else { continue }
        changes.append(
          ChangedMarks(
            mailbox: mailbox, record: record, local: upload.file.marks, size: upload.file.size))
      }
    }
    try push(marks: changes, in: mailbox, areNew: true)
  }

  /// The message as the server is to get it; nil where it went away, or cannot be sent.
  private func body(of upload: PushPlan.PlannedUpload, in mailbox: Int64) throws -> AppendBody? {
    let file = upload.file
    if let limit = remote.session.capabilities.appendLimit, file.digest.serverSize > UInt64(limit) {
      context.note(
        RunProblem(
          mailbox: name(mailbox),
          problem:
            "“\(file.file.description.visible)” has \(file.digest.serverSize) bytes, and the server takes "
            + "\(limit): it stays here."))
      count(PushAction(.waiting, mailbox: name(mailbox), detail: "too large"))
      return nil
    }
    let folder = try context.openFolder(file.folder)
    let policy = policy
    do throws(MaildirError) {
      if file.digest.serverSize <= 1 << 20 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(file.digest.serverSize))
        try folder.readServerBytes(of: file.file, asCame: file.digest.asCame, policy: policy) {
          bytes.append(contentsOf: $0)
        }
        // It changed since it was looked at: the next run sees it as it is.
        guard bytes.count == Int(file.digest.serverSize) else { return nil }
        return .bytes(bytes + missingLineEnd(behind: bytes.last))
      }
      _ = try folder.facts(file.file)
    } catch {
      if case .vanished = error { return nil }
      throw error
    }
    let message = file.file
    let asCame = file.digest.asCame
    let lineEnd = try missingLineEnd(of: file, in: folder)
    return .stream(
      IMAPCommand.Source(size: Int(file.digest.serverSize) + lineEnd.count) { sink in
        var failure: (any Error)?
        try folder.readServerBytes(of: message, asCame: asCame, policy: policy) { bytes in
          guard failure == nil else { return }
          do { try sink(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
        if !lineEnd.isEmpty { try lineEnd.withUnsafeBytes(sink) }
      })
  }

  /// What will be known of the message once the server has it.
  private func sent(_ upload: PushPlan.PlannedUpload, to mailbox: Int64) throws -> MessageRecord {
    let file = upload.file
    let all = MarkDelta(agreed: MessageMarks(), local: file.marks)
    let kept =
      remote.session.quirks.contains(.flagsAfterAppend)
      ? MessageMarks() : keepable(all, mailbox: mailbox).added
    var record = MessageRecord(
      uid: UID(0), name: file.file.base, agreed: kept, headerHash: file.digest.headerHash,
      contentHash: file.digest.contentHash, size: file.size, internalDate: file.modified)
    record.serverSize = Int64(clamping: file.digest.serverSize)
    record.nativeLabels = file.digest.nativeLabels
    record.take(file)
    if file.digest.asCame { record.traits.insert(.keptAsItCame) }
    return record
  }

  private func keepable(_ delta: MarkDelta, mailbox: Int64) -> MarkDelta {
    var marks = UnkeepableMarks(flags: unkeepable[mailbox] ?? [])
    for keyword in delta.added.keywords where remote.isGmail || !keepsKeyword(keyword, remote.facts)
    {
      marks.keywords.insert(Keywords.fold(keyword))
    }
    return delta.without(marks)
  }

  /// Where the server says that the message is; nil where it says nothing, or what cannot be: a UID that is another's.
  private func place(_ result: TaggedResult, in mailbox: Int64) throws -> UID? {
    guard case .appendUID(let validity, let uids) = result.code, uids.count == 1,
      accepts(validity, of: mailbox), let uid = uids.first
    else { return nil }
    // Gmail tells of the message that it had, which a window may have left out here.
    let isFree = try state.message(in: mailbox, uid).map {
      remote.isGmail && $0.isPruned && !$0.traits.contains(.leaving)
    }
    return isFree ?? true ? uid : nil
  }

  /// The message is there: file and UID belong together, and the draft that it replaces is to go.
  ///
  /// - Parameter identity: the server's for the message, where it is known by now.
  func arrived(_ step: PushStep, at uid: UID, identity: String? = nil) throws {
    var record = step.record
    record.uid = uid
    if let identity { record.emailID = identity }
    let old = try source(of: step)
    try state.transaction { transaction in
      if let old {
        try hide(old, in: step.source, transaction)
        var replaced = step
        replaced.kind = .copied
        replaced.copyUID = uid
        try transaction.put(replaced)
      } else {
        try transaction.removeStep(step.number)
      }
      try transaction.put(record, in: step.target)
      try forgetCount(of: step.target, transaction)
      try transaction.removeRefusal(mailbox: step.target, subject: .upload(step.record.contentHash))
      try transaction.removeRefusal(mailbox: step.target, subject: .uploads)
    }
    context.noteChange()
    bytesSent += record.serverSize
    count(PushAction(step.source == 0 ? .upload : .replace, mailbox: name(step.target)))
  }

  /// Uploads are never given up: said, kept, and tried again on the next push (DESIGN section 6).
  ///
  /// - Returns: whether the next one may do better.
  private func refused(
    _ upload: PushPlan.PlannedUpload, _ step: PushStep, _ result: TaggedResult, _ mailbox: Int64,
    _ again: inout [PushPlan.PlannedUpload]
  ) throws -> Bool {
    try state.transaction { try $0.removeStep(step.number) }
    let refusals = try refuse(mailbox, .upload(step.record.contentHash), result.text)
    // Each is tried so often at once, over all runs; after that once in a run.
    if result.isWorthAnotherTry, result.throttle == nil, refusals <= delays.count {
      again.append(upload)
      return true
    }
    count(PushAction(.refused, mailbox: name(mailbox), detail: "new message"))
    let isFull = result.code == .overQuota
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem: isFull
          ? "The mailbox is over its quota\(result.quoted): new messages stay here, and wait."
          : "The server refuses “\(upload.file.file.description.visible)”\(result.quoted); it stays here.",
        remedy: isFull
          ? "Make room on the server, then push again." : "It is tried again on every push."))
    return !isFull && result.code != .tryCreate
  }
}

extension PushStep {
  /// The server said OK, and perhaps where the message is.
  func taken(at uid: UID = UID(0)) -> PushStep {
    var taken = self
    taken.kind = .appended
    taken.copyUID = uid
    return taken
  }
}
