import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// A file that is a copy of a message in another mailbox, and where the server has that.
private struct KnownCopy {
  var upload: PushPlan.PlannedUpload
  var source: CopyPlan.Source
  /// Of the message that is copied.
  var uid: UID { source.key.uid }
}

/// What the server has in another mailbox it copies by itself: no body is sent, and on Gmail it is one message with
/// one label more. Recorded like an upload: a copy whose answer is lost is looked for, and not made again.
struct LocalCopyStep: PushPart {
  let desk: PushDesk
  let labels: LabelParts?
  let marks: MarkStep
  let search: UploadSearch

  /// - Returns: what is to be sent.
  func push(_ uploads: [PushPlan.PlannedUpload], to target: MailboxKey) throws
    -> [PushPlan.PlannedUpload]
  {
    guard session.capabilities.contains(.uidPlus) else { return uploads }
    let stubs = StubComparison(tree: context.tree, policy: context.policy)
    let copied = try CopyPlan(
      state: state, mailboxes: Array(known.records.values), stubs: stubs
    ).sources(of: uploads)
    guard !copied.isEmpty, let facts = try mailboxes.with(target, { $0.facts }) else {
      return uploads
    }
    var left: [PushPlan.PlannedUpload] = []
    var copies: [MailboxKey: [KnownCopy]] = [:]
    var taken = Set<MessageKey>()
    for (place, upload) in uploads.enumerated() {
      let sources = (copied[place] ?? []).filter {
        known.records[$0.key.mailbox].map(known.isListed) == true
      }
      guard let source = sources.first else {
        left.append(upload)
        continue
      }
      if known.labels?.isExclusive(target) == true {
        tellExclusive(target)
        continue
      }
      // A second file of the same message repeats the first.
      guard taken.insert(source.key).inserted else { continue }
      copies[source.key.mailbox, default: []].append(KnownCopy(upload: upload, source: source))
    }
    for (mailbox, group) in copies.sorted(by: { $0.key < $1.key }) {
      for batch in group.pieces(of: 500) {
        try context.checkInterrupt()
        left += try copy(batch, from: mailbox, to: target, facts)
      }
    }
    return left
  }

  private func tellExclusive(_ target: MailboxKey) {
    tell(
      target,
      "Here lies a copy of a message that other folders have: on Gmail it would leave them, so it "
        + "stays on this side.", remedy: "Remove the copy, or the message from the other folders.")
    count(.waiting, target, detail: "other folders have it")
  }

  private func copy(
    _ all: [KnownCopy], from mailbox: MailboxKey, to target: MailboxKey, _ facts: SelectedMailbox
  ) throws -> [PushPlan.PlannedUpload] {
    guard let goal = known.records[target], try mailboxes.opens(mailbox) else {
      return labels != nil ? [] : all.map(\.upload)
    }
    // Another message's copy would stand for the file.
    let others = try UIDCheck(desk: desk).look(
      at: all.map(\.source.record), unconfirmedOnly: true, in: mailbox
    ).differing
    let batch = all.filter { others[$0.uid] == nil }
    let sent = all.filter { others[$0.uid] != nil }.map(\.upload)
    guard !batch.isEmpty else { return sent }
    var steps: [UID: PushStep] = [:]
    var number = try journal.nextNumber()
    for copy in batch {
      steps[copy.uid] = PushStep(
        number: number, stage: .append, target: target, record: record(of: copy),
        uidValidity: facts.uidValidity?.rawValue ?? goal.uidValidity,
        uidNext: facts.uidNext?.rawValue ?? known.uidNext(of: goal))
      number += 1
    }
    try journal.put(steps.values)
    let uids = UIDSet(batch.map(\.uid))
    let asked = try mailboxes.with(mailbox) { open in
      let chunks = try open.chunks(open.nameable(uids), besides: 300)
      let looks = chunks.map(session.look)
      return (chunks, try open.run(looks + chunks.map { .uidCopy($0, to: goal.rawName) }))
    }
    guard let (chunks, answers) = asked else { return sent }
    var places: [UID: UID] = [:]
    var told = Set<UID>()
    var refused: [UID: TaggedResult] = [:]
    for (index, chunk) in chunks.enumerated() {
      let command = chunks.count + index
      if let result = answers.results[command], !result.isOK {
        try result.stopIfThrottled()
        for uid in chunk.uids { refused[uid] = result }
      }
      for copied in answers.copied[command] ?? [] {
        for pair in copied.pairs() ?? [] where chunk.contains(pair.source) {
          told.insert(pair.source)
          guard known.accepts(copied.validity, of: target) else { continue }
          guard try state.message(in: target, pair.destination)?.isPruned ?? true else { continue }
          places[pair.source] = pair.destination
        }
      }
    }
    // What was copied, and is not to be found at once, is not copied again.
    for uid in told { steps[uid] = steps[uid]?.taken() }
    try journal.put(told.filter { places[$0] == nil }.compactMap { steps[$0] })
    return try sent + finish(batch, steps, places, refused, answers.allFound, to: target)
  }

  private func finish(
    _ batch: [KnownCopy], _ steps: [UID: PushStep], _ places: [UID: UID],
    _ refused: [UID: TaggedResult], _ present: UIDSet, to target: MailboxKey
  ) throws -> [PushPlan.PlannedUpload] {
    var places = places
    var left: [PushPlan.PlannedUpload] = []
    var unplaced: [KnownCopy] = []
    for copy in batch where places[copy.uid] == nil {
      let uid = copy.uid
      if refused[uid] == nil, present.contains(uid) {
        unplaced.append(copy)
      } else {
        try journal.drop(steps.filter { $0.key == uid }.values)
        // Gmail would take what is sent for the same message, and refuse it again.
        if let refusal = refused[uid], labels != nil { try tellRefused(copy, refusal, target) }
        if refused[uid] == nil || labels == nil { left.append(copy.upload) }
      }
    }
    if let labels, !unplaced.isEmpty {
      let found = try labels.finder.find(unplaced.map(\.source.record), in: target)
      places.merge(found) { first, _ in first }
    } else if !unplaced.isEmpty {
      try search.lookFor(unplaced.compactMap { steps[$0.uid] }, in: target)
    }
    if let labels {
      let unknown = Set(unplaced.map(\.uid))
      let taken = batch.filter { places[$0.uid] != nil || unknown.contains($0.uid) }
      places = try shown(places, of: taken, steps, in: target, labels.arrivals)
    }
    try commit(batch.filter { places[$0.uid] != nil }, steps, places, to: target)
    return left
  }

  /// What Gmail says that it copied, and does not show, is copied again: a label is not put on twice.
  private func shown(
    _ places: [UID: UID], of copies: [KnownCopy], _ steps: [UID: PushStep], in target: MailboxKey,
    _ arrivals: LabelArrivals
  ) throws -> [UID: UID] {
    var told: [UID: PushStep] = [:]
    for uid in copies.map(\.uid) {
      if let place = places[uid] { told[uid] = steps[uid]?.taken(at: place) }
    }
    try journal.put(Array(told.values))
    let facts = try arrivals.shown(Array(told.values), in: target)
    let seen = Set(
      copies.filter { copy in
        guard let place = told[copy.uid]?.place, let fact = facts[place] else { return false }
        return copy.source.record.identity ?? fact.identity == fact.identity
      }.map(\.uid))
    let hidden = Set(copies.map(\.uid)).subtracting(seen)
    guard !hidden.isEmpty else { return places }
    try journal.drop(steps.filter { hidden.contains($0.key) }.values)
    count(.waiting, target, detail: "not shown", count: hidden.count)
    tell(
      target,
      "The server says that it copied \(hidden.count) messages here, and does not show "
        + "them: their files stay, and wait.", remedy: "It is tried again on every push.")
    return places.filter { !hidden.contains($0.key) }
  }

  private func tellRefused(_ copy: KnownCopy, _ refusal: TaggedResult, _ target: MailboxKey) throws
  {
    try refusals.keepWords(target, .upload(copy.upload.file.digest.contentHash), refusal)
    count(.refused, target, detail: "copy")
    tell(
      target,
      "The server refuses a copy from “\(name(copy.source.key.mailbox).visible)”"
        + "\(refusal.quoted); the file stays here.",
      remedy: RefusalRemedy(change: .copy, obstacle: refusal.obstacle).words)
  }

  /// What will be known of the copy. Gmail's copies share their marks, so that nothing is taken away from them all.
  private func record(of copy: KnownCopy) -> MessageRecord {
    let file = copy.upload.file
    let source = copy.source.record
    var record = source
    record.uid = UID(0)
    record.unappliedRemote = nil
    record.agreed = source.remote
    if labels != nil, file.marks != source.remote {
      record.agreed = MarkPlan.common(file.marks, source.remote)
      record.unappliedRemote = source.remote
    }
    record.contentHash = file.digest.contentHash
    record.nativeLabels = file.digest.nativeLabels
    record.serverSize = Int64(clamping: file.digest.serverSize)
    record.traits = source.traits.intersection(.kept).union(file.digest.traits)
    record.take(file)
    return record
  }

  private func commit(
    _ copies: [KnownCopy], _ steps: [UID: PushStep], _ places: [UID: UID], to target: MailboxKey
  ) throws {
    guard !copies.isEmpty else { return }
    var changes: [ChangedMarks] = []
    try write { transaction in
      for copy in copies {
        guard let place = places[copy.uid], let step = steps[copy.uid] else { continue }
        var record = step.record
        record.uid = place
        try transaction.removeStep(step.number)
        try transaction.put(record, in: target)
        if copy.upload.file.marks != record.agreed {
          changes.append(ChangedMarks(record, as: copy.upload))
        }
      }
      try known.forgetCount(of: target, transaction)
    }
    for copy in copies {
      files.setDate(of: copy.upload.file, copy.source.record.internalDate)
      count(.copy, copy.source.key.mailbox, detail: name(target))
    }
    try marks.push(changes, in: target, areNew: true)
  }
}
