import IMAPWire
import Ledger
import MailCore
import Maildir
import SyncPlan

/// Sends new messages: journal, APPEND, and what the server says that it took. One whose answer is lost is looked for
/// before it is sent again.
struct UploadStep: PushPart {
  let desk: PushDesk
  let dialect: Dialect
  let marks: MarkStep
  let search: UploadSearch
  private var arrivals: Arrivals { Arrivals(desk: desk) }

  func push(_ uploads: [PushPlan.PlannedUpload], to mailbox: MailboxKey) throws {
    guard try !uploads.isEmpty && mailboxes.opens(mailbox) else { return }
    var rest = try dialect.labels?.arrivals.withoutKnown(uploads, in: mailbox) ?? uploads
    if rest.count < uploads.count { try pushMarks(of: uploads, in: mailbox) }
    guard !rest.isEmpty else { return }
    var tries = 0
    while true {
      let again = try sendAll(rest, to: mailbox)
      guard !again.isEmpty else { return }
      try refusals.wait(beforeRetry: tries)
      tries += 1
      rest = again
    }
  }

  /// Leaves out files whose like was to be moved away, and was not.
  func withoutRepeats(_ uploads: [PushPlan.PlannedUpload], in mailbox: MailboxKey) throws
    -> [PushPlan.PlannedUpload]
  {
    let hashes = Set(uploads.filter(\.followsMove).map(\.file.digest.contentHash))
    let held = try state.contents(in: mailbox, among: hashes)
    return uploads.filter { !$0.followsMove || held[$0.file.digest.contentHash] == nil }
  }

  /// - Returns: those that were refused, and that another try is worth.
  private func sendAll(_ uploads: [PushPlan.PlannedUpload], to mailbox: MailboxKey) throws
    -> [PushPlan.PlannedUpload]
  {
    var rest = uploads[...]
    var again: [PushPlan.PlannedUpload] = []
    while !rest.isEmpty {
      try context.checkInterrupt()
      var batch: [PushPlan.PlannedUpload] = []
      var size: UInt64 = 0
      let most = session.quirks.contains(.serialAppend) ? 1 : 50
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
    _ batch: [PushPlan.PlannedUpload], to mailbox: MailboxKey,
    _ again: inout [PushPlan.PlannedUpload]
  ) throws -> Bool {
    guard let facts = try mailboxes.with(mailbox, { $0.facts }), let goal = known.records[mailbox]
    else { return false }
    var steps: [(step: PushStep, upload: PushPlan.PlannedUpload)] = []
    var commands: [IMAPCommand] = []
    var number = try journal.nextNumber()
    for upload in batch {
      guard let body = try UploadBody(desk: desk).body(of: upload, in: mailbox) else { continue }
      let record = try sent(upload, to: mailbox, facts)
      commands.append(
        try .append(
          to: goal.rawName, marks: record.agreed, internalDate: record.internalDate, body: body))
      steps.append(
        (
          PushStep(
            number: number, stage: .append, target: mailbox, record: record,
            source: upload.replaces.map {
              PushStep.Source($0, in: mailbox, uidValidity: goal.uidValidity)
            },
            uidValidity: facts.uidValidity?.rawValue ?? goal.uidValidity,
            uidNext: facts.uidNext?.rawValue ?? known.uidNext(of: goal)), upload
        ))
      number += 1
    }
    guard !steps.isEmpty else { return true }
    try journal.put(steps.map(\.step))
    let answers = try remote.append(commands)
    var goesOn = true
    var unplaced: [PushStep] = []
    var placed: [PushStep] = []
    var throttled: TaggedResult?
    var denials: [TaggedResult] = []
    for (index, (step, upload)) in steps.enumerated() {
      let result = try answers.result(index)
      if result.code == .noPermission, !result.isOK {
        try state.transaction { try $0.removeStep(step.number) }
        denials.append(result)
      } else if !result.isOK {
        goesOn = try refused(upload, step, result, mailbox, &again) && goesOn
        if result.throttle != nil { throttled = result }
      } else if let uid = try place(result, in: mailbox) {
        if dialect.labels != nil {
          placed.append(step.taken(at: uid))
        } else {
          try arrivals.arrived(step, at: uid)
        }
      } else {
        unplaced.append(step.taken())
      }
    }
    try journal.put(placed + unplaced)
    unplaced += try dialect.labels?.arrivals.arrive(placed, in: mailbox) ?? []
    if !unplaced.isEmpty { try search.lookFor(unplaced, in: mailbox) }
    if !session.keepsFlagsOfAppend || dialect.labels != nil {
      try pushMarks(of: steps.map(\.upload), in: mailbox)
    }
    try SentKeywords(desk: desk).confirm(steps.map(\.upload), in: mailbox, facts)
    if let throttled { try throttled.stopIfThrottled() }
    if let denial = denials.first {
      try rights.leavePending(denials.count, .uploads, denial, mailbox)
      return false
    }
    return goesOn
  }

  /// Where mailboxes are labels, APPEND cannot carry keywords: they follow.
  func pushLabels(of uploads: [PushPlan.PlannedUpload], in mailbox: MailboxKey) throws {
    let labelled = uploads.filter { !$0.file.marks.keywords.isEmpty }
    guard dialect.labels != nil, !labelled.isEmpty else { return }
    let sent = Dictionary(labelled.map { ($0.file.file.baseHash, $0) }) { first, _ in first }
    var placed: [UID: PushPlan.PlannedUpload] = [:]
    try state.forEachName(in: mailbox) { uid, name in
      if let uid, let upload = sent[NameHash(of: name)] { placed[uid] = upload }
    }
    var changes: [ChangedMarks] = []
    for (uid, upload) in placed.sorted(by: { $0.key < $1.key }) {
      guard let record = try state.message(in: mailbox, uid),
        !upload.file.marks.keywords.subtracting(record.agreed.keywords).isEmpty
      else { continue }
      changes.append(ChangedMarks(record, as: upload))
    }
    try marks.push(changes, in: mailbox, areNew: true)
  }

  /// Exchange loses \Flagged in APPEND, GNU mailutils every flag, and Gmail gives none to what it had: nothing is agreed
  /// yet, and all marks follow as a person's changes do.
  private func pushMarks(of uploads: [PushPlan.PlannedUpload], in mailbox: MailboxKey) throws {
    var changes: [ChangedMarks] = []
    for upload in uploads where upload.file.marks != MessageMarks() {
      let uids = try state.contents(in: mailbox, among: [upload.file.digest.contentHash])
      for uid in uids.values.joined() {
        // Labels follow by themselves.
        guard let record = try state.message(in: mailbox, uid),
          record.name == upload.file.file.base,
          dialect.labels == nil || record.agreed.flags != upload.file.marks.flags
        else { continue }
        changes.append(ChangedMarks(record, as: upload))
      }
    }
    try marks.push(changes, in: mailbox, areNew: true)
  }

  /// What will be known of the message once the server has it.
  private func sent(
    _ upload: PushPlan.PlannedUpload, to mailbox: MailboxKey, _ facts: SelectedMailbox
  ) throws -> MessageRecord {
    var marks = upload.file.marks
    if !session.keepsFlagsOfAppend { marks = MessageMarks() }
    if dialect.labels != nil { marks.keywords = .none }
    // Some servers refuse a message for a keyword that they do not know (Zimbra): it goes without, and they follow.
    if try refusals.attempts(mailbox, .upload(upload.file.digest.contentHash)) > 0 {
      marks.keywords = .none
    }
    let unkeepable = mailboxes.unkeepable(marks.keywords, mailbox, facts)
    return MessageRecord(upload.file, agreed: unkeepable.left(of: marks))
  }

  /// Where the server says that the message is; nil where it says nothing, or what cannot be: a UID that is another's.
  private func place(_ result: TaggedResult, in mailbox: MailboxKey) throws -> UID? {
    guard case .appendUID(let validity, let uids) = result.code, uids.count == 1,
      known.accepts(validity, of: mailbox), let uid = uids.first
    else { return nil }
    return try arrivals.isFree(uid, in: mailbox) ? uid : nil
  }

  /// Uploads are never given up: said, kept, and tried again on the next push. Where the right to them is missing in three
  /// runs, they wait until a push is asked for all (`Rules.new`).
  ///
  /// - Returns: whether the next one may do better.
  private func refused(
    _ upload: PushPlan.PlannedUpload, _ step: PushStep, _ result: TaggedResult,
    _ mailbox: MailboxKey,
    _ again: inout [PushPlan.PlannedUpload]
  ) throws -> Bool {
    try state.transaction { try $0.removeStep(step.number) }
    let attempts = try refusals.refuse(
      mailbox, .upload(step.record.contentHash), result.text, obstacle: result.obstacle)
    let isPerhapsForKeywords =
      attempts == 1 && !step.record.agreed.keywords.isEmpty
      && ([nil, .cannot, .limit] as [ResponseCode?]).contains(result.code)
    // Each is tried so often at once, over all runs; after that once in a run.
    if result.isWorthAnotherTry || isPerhapsForKeywords, result.throttle == nil,
      attempts <= refusals.delays.count
    {
      again.append(upload)
      return true
    }
    count(.refused, mailbox, detail: "new message")
    let isFull = result.code == .overQuota
    tell(
      mailbox,
      isFull
        ? "The mailbox is over its quota\(result.quoted): new messages stay here, and wait."
        : "The server refuses “\(upload.file.file.description.visible)”\(result.quoted); it stays here.",
      remedy: RefusalRemedy(
        change: upload.source == nil ? .message : .copy, obstacle: result.obstacle
      ).words)
    return !isFull && result.code != .tryCreate
  }
}
