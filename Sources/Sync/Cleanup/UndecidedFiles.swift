import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// The end of an adoption, for files whose message the server no longer has where they lie. Where it has the very message in
/// another mailbox, another client moved it: the file stays, and is not sent, or the server had two of it. It stays so where
/// the server may only not show the message, and waits where the message may be one that the server does not hand out. The
/// others are here alone, and a push sends them.
///
/// They are on record before their mailbox counts as adopted, so a run that dies in between leaves them to the next.
struct UndecidedFiles {
  let context: AccountContext
  /// Which mailboxes are mirrored.
  let folders: FolderPatterns

  func decide() throws {
    let undecided = try context.state.undecidedFiles()
    guard !undecided.isEmpty, !context.isRehearsal else { return }
    let records = try context.state.mailboxes()
    let failures = try context.state.failures()
    // A mailbox that cannot be opened may be where a message is that a pull brought, however long it takes. What has
    // another name is most likely new, and does not wait for ever.
    let isWhole = try context.hasLookedIntoAll(of: folders)
    guard try isWhole || context.hasLookedIntoAll(of: folders, butClosed: true) else {
      return tell(undecided, records)
    }
    let birthplaces = Birthplaces(context.state, records, failures)
    var decisions: [MailboxKey: SurplusDecision] = [:]
    var displaced: [SurplusFile] = []
    for record in records where undecided[record.id] != nil {
      try context.sparing(record.name) {
        let found = try look(into: record, birthplaces, isWhole: isWhole)
        decisions[record.id] = found.decision
        displaced += found.displaced
      }
    }
    var moved = try DisplacedFiles(context: context, displaced: displaced).find(among: records)
    let kept = decisions.values.flatMap(\.surplus) + moved.values.joined()
    let unnamed = UnnamedFiles(context: context, undecided: undecided, kept: kept)
    moved.merge(try unnamed.find(among: records)) { $0 + $1 }
    if try isNews(decisions, moved) {
      try context.write { transaction in
        for (mailbox, decision) in decisions { try transaction.decide(decision, of: mailbox) }
        for (mailbox, files) in moved {
          for file in files { try transaction.addSurplus(file, to: mailbox) }
        }
      }
    }
    let waiting: (Int) -> PullNotice =
      isWhole ? { .notDelivered($0) } : { .undecidedFiles($0) }
    for record in records {
      let decision = decisions[record.id] ?? SurplusDecision()
      let notices: [(Int, (Int) -> PullNotice)] = [
        (decision.surplus.count + (moved[record.id]?.count ?? 0), PullNotice.movedOnServer),
        (decision.outOfView.count, PullNotice.notShown),
        (decision.waiting.count { $0.file.contentHash == .unknown }, PullNotice.unreadFiles),
        (decision.waiting.count { $0.file.contentHash != .unknown }, waiting),
      ]
      for (count, notice) in notices where count > 0 {
        context.note(RunProblem(notice(count), mailbox: record.name))
      }
    }
  }

  /// Whether anything is to be written: where all wait on as before, a run that finds nothing new writes nothing (promise 10).
  private func isNews(
    _ decisions: [MailboxKey: SurplusDecision], _ moved: [MailboxKey: [SurplusFile]]
  ) throws
    -> Bool
  {
    guard moved.values.allSatisfy(\.isEmpty) else { return true }
    return try decisions.contains { mailbox, decision in
      try Set(decision.waiting) != Set(context.state.undecidedFiles(in: mailbox))
    }
  }

  private func tell(_ undecided: [MailboxKey: Int], _ records: [MailboxRecord]) {
    for record in records {
      guard let count = undecided[record.id] else { continue }
      context.note(RunProblem(PullNotice.undecidedFiles(count), mailbox: record.name))
    }
  }

  /// - Parameter isWhole: else all wait but those whose names no pull gave: these are new, or beyond the view.
  /// - Returns: what becomes of the files that are here, and those that are not.
  private func look(into record: MailboxRecord, _ birthplaces: Birthplaces, isWhole: Bool) throws
    -> (decision: SurplusDecision, displaced: [SurplusFile])
  {
    let mailbox = record.id
    let all = try context.state.undecidedFiles(in: mailbox)
    let undecided = RecordedFiles(all.filter { isWhole || $0.origin == .unknown })
    var displaced = undecided.byName.filter { $0.value.origin == .here }
    var decision = SurplusDecision()
    decision.waiting = all.filter { !isWhole && $0.origin != .unknown }
    guard let local = try context.folders.local(ofMailbox: mailbox) else {
      return (decision, displaced.values.map(\.file))
    }
    var names: [NameHash] = []
    try context.state.forEachName(in: mailbox) { _, name in names.append(NameHash(of: name)) }
    names.sortAscending()
    for name in names { displaced[name] = nil }
    let otherPlace = OtherPlace(context)
    let undelivered = context.undelivered
    let beyond = try FilesOutOfView(of: record, in: local, context)
    for file in try local.folder.files(besides: names) {
      guard let one = undecided.record(of: file) else { continue }
      displaced[one.file.nameHash] = nil
      let fate = try birthplaces.fate(of: file)
      guard let digest = try local.digest(of: file) else {
        // A reader renamed it just now, or it cannot be read.
        decision.waiting.append(one)
        continue
      }
      // What was edited since is another message.
      guard one.file.isHeld(by: digest) else { continue }
      let found = SurplusFile(file, digest)
      let birth = BirthName(base: file.base)
      let isGone = one.origin == .here || fate == .lost
      if try isGone && otherPlace.holds(digest, besides: mailbox, countsStubs: true) {
        decision.surplus.append(found)
      } else if let birth, isGone,
        undelivered.contains(where: { $0.mayBe(digest, of: birth.internalDate) })
      {
        decision.waiting.append(UndecidedFile(found, one.origin))
      } else if try beyond?.contains(file, fate) == true {
        decision.outOfView.append(found)
      }
    }
    return (decision, displaced.values.map(\.file))
  }
}
