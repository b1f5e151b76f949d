import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Deleting where mailboxes are labels: a message that has another mirrored label only loses this one, any other goes to
/// Trash. \Deleted is stored nowhere but in Trash: elsewhere it means what the person set in Gmail's settings.
extension PushExecutor {
  func deleteOnGmail(
    _ batch: [MessageRecord], _ way: PushPlan.PlannedDeletion.Way, in mailbox: Int64
  ) throws {
    guard try open(mailbox) else { return }
    let labels = gmailLabels
    let facts = try remote.gmailFacts(of: UIDSet(batch.map(\.uid)))
    let homes = try homesOnGmail(facts, besides: mailbox, labels)
    var absent: [MessageRecord] = []
    var staying: [MessageRecord] = []
    var going: [MessageRecord] = []
    var undecided = 0
    for record in batch {
      guard let fact = facts[record.uid] else {
        absent.append(record)
        continue
      }
      let isSame = record.emailID ?? fact.identity == fact.identity
      switch isSame ? homes[fact.identity] ?? .unknown : .unknown {
      case .elsewhere: staying.append(record)
      case .onlyHere: going.append(record)
      case .unknown: undecided += 1
      }
    }
    guard try open(mailbox) else { return }
    undecided += try agree(absent, in: mailbox)
    noteUndecided(undecided, mailbox)
    for record in try takeLabelOff(staying, in: mailbox, labels) {
      count(PushAction(.unlabel, mailbox: name(mailbox), count: 1))
      try state.transaction { try $0.remove(record.uid, from: mailbox) }
      context.noteChange()
    }
    try moveToGmailTrash(going, way, from: mailbox)
  }

  /// Whether another mirrored mailbox has the message, and keeps it.
  private func hasOtherLabel(_ fact: GmailFacts, _ labels: GmailLabels) -> Bool {
    let goes = labelPlan.leaving[fact.identity] ?? []
    return fact.labels.contains { label in
      guard let other = labels.mailbox(of: label) else { return false }
      return other == 0 || !goes.contains(other) && !labels.isExclusive(other)
    }
  }

  private func noteUndecided(_ undecided: Int, _ mailbox: Int64) {
    guard undecided > 0 else { return }
    count(
      PushAction(.waiting, mailbox: name(mailbox), detail: "to be looked for", count: undecided))
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem: "\(undecided) deletions wait: whether other folders keep the messages on the "
          + "server could not be seen.", remedy: "Run `mirror pull`, then push again."))
  }

  /// Where else the account goes on holding a message.
  enum GmailHome { case elsewhere, onlyHere, unknown }

  /// The server's labels decide. A copy that they do not name and that the state knows of (All Mail is no label; what
  /// another client took off may still be here) is looked for: a deletion must not become archiving, nor archiving a
  /// deletion. May leave another mailbox open.
  ///
  /// - Parameter facts: of messages in `mailbox`.
  /// - Returns: by identity.
  func homesOnGmail(_ facts: [UID: GmailFacts], besides mailbox: Int64, _ labels: GmailLabels)
    throws -> [String: GmailHome]
  {
    var homes: [String: GmailHome] = [:]
    var doubtful: [Int64: [UID: String]] = [:]
    for fact in facts.values {
      if hasOtherLabel(fact, labels) {
        homes[fact.identity] = .elsewhere
        continue
      }
      homes[fact.identity] = .onlyHere
      for copy in try labelPlan.remaining(fact.identity, besides: mailbox, state) {
        doubtful[copy.mailbox, default: [:]][copy.message.uid] = fact.identity
      }
    }
    for (other, wanted) in doubtful.sorted(by: { $0.key < $1.key }) {
      let isOpen = try open(other, asPlace: true)
      let there = isOpen ? try remote.gmailFacts(of: UIDSet(wanted.keys.sorted())) : [:]
      for (uid, identity) in wanted where homes[identity] != .elsewhere {
        if !isOpen {
          homes[identity] = .unknown
        } else if there[uid]?.identity == identity {
          homes[identity] = .elsewhere
        }
      }
    }
    return homes
  }

  /// Gone on both sides: one move to Trash takes a message out of all its mailboxes.
  ///
  /// - Returns: how many are there after all.
  private func agree(_ absent: [MessageRecord], in mailbox: Int64) throws -> Int {
    guard !absent.isEmpty else { return 0 }
    let present = try remote.existing(UIDSet(absent.map(\.uid)))
    let gone = absent.filter { !present.contains($0.uid) }
    guard !gone.isEmpty else { return absent.count }
    try state.transaction { transaction in
      for record in gone { try transaction.remove(record.uid, from: mailbox) }
    }
    context.noteChange()
    return absent.count - gone.count
  }

  // MARK: One label less

  /// The messages stay on the server, and leave the open mailbox.
  ///
  /// By MOVE to All Mail, which is what Gmail calls archiving: a mailbox's own label cannot be taken off by X-GM-LABELS
  /// while it is open, and what \Deleted does depends on the person's settings.
  ///
  /// - Returns: those that left.
  func takeLabelOff(
    _ batch: [MessageRecord], in mailbox: Int64, _ labels: GmailLabels
  ) throws -> [MessageRecord] {
    guard try !batch.isEmpty && open(mailbox) else { return [] }
    if labels.use(mailbox, .all) {
      try keep(
        batch, in: mailbox,
        "Messages leave All Mail only for Trash, and other folders have this one")
      return []
    }
    let uids = UIDSet(batch.map(\.uid))
    if !canTakeOff(mailbox, labels) { try takeOffFromElsewhere(batch, mailbox) }
    var tries = try triesSoFar(.labels, mailbox)
    var refusal = try askToTakeOff(uids, mailbox, labels)
    while let refused = refusal, refused.isWorthAnotherTry, tries < delays.count {
      try waitBeforeRetry(tries, .labels, mailbox, refused)
      tries += 1
      refusal = try askToTakeOff(uids, mailbox, labels)
    }
    try forgetTries(.labels, mailbox)
    if let refusal { try stopIfThrottled(refusal) }
    guard try open(mailbox) else { return [] }
    let left = try remote.existing(uids)
    let mayLeave = canTakeOff(mailbox, labels) && !labels.isLasting(mailbox)
    let answer = refusal ?? (mayLeave && !left.isEmpty ? .stillThere(left.count) : nil)
    if let answer, answer.leavesPending, !left.isEmpty {
      try leavePending(left.count, .deletions, "deletions", answer, mailbox)
    } else if !left.isEmpty {
      let words = refusal.map { "The server refuses to take it out" + $0.quoted }
      try keep(
        batch.filter { left.contains($0.uid) }, in: mailbox,
        words ?? "Gmail keeps this message here")
    }
    return batch.filter { !left.contains($0.uid) }
  }

  private func canTakeOff(_ mailbox: Int64, _ labels: GmailLabels) -> Bool {
    labels.use(mailbox, .flagged) || labels.use(mailbox, .important)
      || labels.all != nil && remote.canMove
  }

  private func askToTakeOff(_ uids: UIDSet, _ mailbox: Int64, _ labels: GmailLabels) throws
    -> TaggedResult?
  {
    guard canTakeOff(mailbox, labels) else { return nil }
    let chunks = uids.chunks(textLength: remote.session.maximumCommandLength - 300)
    let answers = try remote.run(
      try chunks.map { chunk in
        if labels.use(mailbox, .flagged) {
          return try .uidStore(chunk, .remove, flags: .flagged)
        }
        if let all = labels.all, !labels.use(mailbox, .important) {
          return .uidMove(chunk, to: all.rawName)
        }
        return .uidStoreLabels(chunk, .remove, [Array("\\Important".utf8)])
      })
    return chunks.indices.compactMap { answers.results[$0] }.first { !$0.isOK }
  }

  /// Where All Mail is hidden from IMAP: in another mailbox that has the message, this one's label can be taken off.
  private func takeOffFromElsewhere(_ batch: [MessageRecord], _ mailbox: Int64) throws {
    guard let record = records[mailbox] else { return }
    let own = record.mailboxName.isInbox ? Array("\\Inbox".utf8) : record.rawName
    var places: [Int64: [UID: String]] = [:]
    for message in batch {
      guard let identity = message.emailID,
        let copy = try labelPlan.remaining(identity, besides: mailbox, state).first
      else { continue }
      places[copy.mailbox, default: [:]][copy.message.uid] = identity
    }
    for (other, wanted) in places.sorted(by: { $0.key < $1.key }) where try open(other) {
      let facts = try remote.gmailFacts(of: UIDSet(wanted.keys.sorted()))
      let same = UIDSet(wanted.filter { facts[$0.key]?.identity == $0.value }.keys.sorted())
      for chunk in same.chunks(textLength: remote.session.maximumCommandLength - 300) {
        _ = try remote.run([.uidStoreLabels(chunk, .remove, [own])])
      }
    }
    remote.forgetSelection()
  }

  /// What cannot be taken out comes back with the next pull.
  private func keep(_ batch: [MessageRecord], in mailbox: Int64, _ reason: String) throws {
    guard !batch.isEmpty else { return }
    try state.transaction { transaction in
      for record in batch { try transaction.remove(record.uid, from: mailbox) }
    }
    context.noteChange()
    try listAgain(mailbox)
    for record in batch {
      context.note(
        RunProblem(
          mailbox: name(mailbox), uid: record.uid.rawValue,
          problem: "\(reason); the next pull brings it back."))
    }
    count(
      PushAction(.refused, mailbox: name(mailbox), detail: "deletion", count: batch.count))
  }

  // MARK: Trash

  private func moveToGmailTrash(
    _ batch: [MessageRecord], _ way: PushPlan.PlannedDeletion.Way, from mailbox: Int64
  ) throws {
    guard !batch.isEmpty else { return }
    guard let trash = try trashMailbox() else {
      context.note(
        RunProblem(
          mailbox: name(mailbox),
          problem: "Gmail does not show its Trash over IMAP: \(batch.count) deletions wait.",
          remedy: "In Gmail's settings, under Labels, let Trash be shown in IMAP."))
      return
    }
    let outcome = try transfer(
      batch.map { Transfer(record: $0, file: nil) }, from: mailbox, to: trash)
    let isFinal = way == .expunge
    count(
      PushAction(
        isFinal ? .expunge : .trash, mailbox: name(mailbox), count: outcome.done.count))
    if let waiting = outcome.refused.first(where: { $0.result.leavesPending }) {
      return try leavePending(
        outcome.refused.count, .deletions, "deletions", waiting.result, mailbox)
    }
    for (uid, result) in outcome.refused {
      try keep(
        batch.filter { $0.uid == uid }, in: mailbox,
        "The server refuses to delete this message\(result.quoted)")
    }
    guard isFinal else { return }
    let identities = Set(batch.compactMap(\.emailID))
    try sparing(trash) {
      try purge(UIDSet(Array(outcome.places.values)), of: identities, in: trash)
    }
  }

  /// Expunges from Trash what was just moved there, and is still the same.
  func purge(_ uids: UIDSet, of identities: Set<String>, in trash: Int64) throws {
    guard !uids.isEmpty, try open(trash, asPlace: true) else { return }
    let facts = try remote.gmailFacts(of: uids)
    let same = UIDSet(facts.filter { identities.contains($0.value.identity) }.map(\.key))
    if let refusal = try expunge(same, in: trash).refusal {
      context.note(
        RunProblem(
          mailbox: name(trash),
          problem: "The server refuses to expunge \(same.count) messages from Trash"
            + "\(refusal.quoted); they stay there.", exitStatus: .done))
    }
  }
}
