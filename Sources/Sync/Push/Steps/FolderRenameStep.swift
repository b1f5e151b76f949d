import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import SyncPlan

/// Folders that a person renamed: their mailboxes get the new name, too; where the server refuses it for good, the
/// folders get the old one back.
struct FolderRenameStep: PushPart {
  let desk: PushDesk
  private var creations: FolderCreationStep { FolderCreationStep(desk: desk) }

  /// - Returns: whether anything changed.
  func carryOut(_ rename: PushPlan.FolderRename, of plan: PushPlan) throws -> Bool {
    guard let record = known.records[rename.mailbox] else { return false }
    // With a folder above it, it went along to the new name already, or back to the old one.
    guard try record.folder != rename.folder && context.folders.holds(rename.folder) else {
      return false
    }
    let name = MailboxName(rename.name, delimiter: known.delimiter)
    if record.mailboxName == name {
      // It is called so there already: only the state has its folder at another place.
      try creations.keep(record, in: rename.folder)
      return true
    }
    guard known.isListed(record) else {
      mailboxes.skip(rename.mailbox, .vanished(record.name))
      return false
    }
    if known.listings.contains(where: { $0.name == name && !$0.isSelectable }),
      !NamePrefix(session).isOthers(name)
    {
      // A name that only has others below it can become a mailbox; no server gives it to one that has a name.
      return try creations.carryOut(
        PushPlan.FolderCreation(folder: rename.folder, name: rename.name))
    }
    guard try isStill(record, rename.mailbox) else { return false }
    let raw = session.names.encode(name)
    if let parent = creations.lostParent(of: name) {
      mailboxes.skip(rename.mailbox, .vanished(parent.name))
      return false
    }
    let places = RenamedPlaces(
      renames: plan.renames, layout: policy.layout, holds: context.folders.holds,
      isTaken: context.tree.holds)
    let begun = try RenameJournal(context).begin(
      MailboxRename(rename, of: record, among: Array(known.records.values), places))
    if let refusal = try askForName(raw, of: record, rename.mailbox, rename.subject) {
      try RenameJournal(context).drop()
      return try setBack(rename, begun, record, refusal)
    }
    let renamed = try RenameJournal(context).complete(begun, raw: raw)
    try known.readRecords()
    if let first = renamed.first {
      known.relist(first)
      try known.renewUses(of: renamed)
    }
    try follow(renamed)
    try refusals.forgive(rename.subject, rename.mailbox)
    return true
  }

  /// What an interrupted push was about when it asked the server for a new name.
  ///
  /// - Returns: whether there was anything: then the tree is to be looked at again.
  func finishRename() throws -> Bool {
    guard try state.renameUnderWay() != nil else { return false }
    let renamed = try RenameJournal(context).finish(known.listings)
    try known.readRecords()
    try follow(renamed)
    return true
  }

  /// A mailbox of this name that somebody made anew is not ours to rename: a look, right before it is.
  private func isStill(_ record: MailboxRecord, _ mailbox: MailboxKey) throws -> Bool {
    do {
      let isMeant = { (facts: SelectedMailbox) in
        guard let objection = record.objection(to: facts) else { return true }
        mailboxes.skip(mailbox, objection, facts)
        return false
      }
      return try remote.withMailbox(
        MailboxTarget(record), .toLook, isFresh: true, if: isMeant, { _ in true }) ?? false
    } catch {
      guard case .mailbox = RunFailure(error) else { throw error }
      mailboxes.skip(mailbox, RunProblem(error, mailbox: record.name))
      return false
    }
  }

  /// - Returns: the server's last word, where that is no.
  private func askForName(
    _ raw: [UInt8], of record: MailboxRecord, _ mailbox: MailboxKey, _ subject: RefusalSubject
  ) throws -> TaggedResult? {
    let attempt = try refusals.retrying(subject, mailbox) {
      try context.checkInterrupt()
      let inbox = known.listings.first { $0.name.isInbox && $0.isSelectable }
      try remote.leaveMailbox(for: inbox?.rawName)
      let result = try remote.rename(record.rawName, to: raw)
      try result.stopIfThrottled()
      return result.isOK ? .done : .refused(result)
    }
    if case .refused(let result) = attempt { return result }
    return nil
  }

  // MARK: Renamed

  private func follow(_ renamed: [RenamedMailbox]) throws {
    guard let first = renamed.first else { return }
    report.count(PushAction(.rename, mailbox: first.before.name, detail: first.after.name))
    try remote.subscribe(renamed.map(\.after.rawName), insteadOf: renamed.map(\.before.rawName))
  }

  /// False where something lies there already, or the place is below the folder itself.
  private func move(_ folder: FolderPath, to place: FolderPath) throws -> Bool {
    if place != folder, place.isInside(folder) { return false }
    do throws(MaildirError) {
      try context.folders.rename(folder, to: place)
      return true
    } catch {
      if case .nameTaken = error { return false }
      throw error
    }
  }

  // MARK: Refused

  /// Refused for good: the folder here gets its old name again, with those below it. The state knows no other, so a
  /// crash in between leaves nothing to repair.
  private func setBack(
    _ rename: PushPlan.FolderRename, _ begun: MailboxRename, _ record: MailboxRecord,
    _ result: TaggedResult
  ) throws -> Bool {
    let problem = "The server refuses the new name “\(rename.name.visible)”\(result.quoted)"
    if result.mayPass {
      try refusals.keepWords(rename.mailbox, rename.subject, result)
      mailboxes.skip(
        rename.mailbox,
        RunProblem(
          mailbox: record.name, problem: problem + ": the folder waits.",
          remedy: RefusalRemedy(change: .rename, obstacle: result.obstacle).words))
      return false
    }
    guard try putBack(begun, rename.folder, record) else {
      try refusals.refuse(rename.mailbox, rename.subject, result.text, isFinal: true)
      mailboxes.skip(
        rename.mailbox,
        RunProblem(
          mailbox: record.name,
          problem: problem
            + "; the folder cannot get its old name “\(record.folder.text.visible)” again, "
            + "which is taken here, or would take other folders along: it stays, and what was done in it waits.",
          remedy: RefusalRemedy(change: .rename, obstacle: nil, isGivenUp: true).words))
      return false
    }
    try refusals.forgive(rename.subject, rename.mailbox)
    context.noteChange()
    report.tell(
      RunProblem(
        mailbox: record.name,
        problem: problem
          + "; the folder here has its old name “\(record.folder.text.visible)” again."))
    return true
  }

  /// Whether folders of other mailboxes would go along.
  private func holdsOthers(_ folder: FolderPath, below record: MailboxRecord) throws -> Bool {
    let own = Set(record.below(among: known.records.values).map(\.id))
    return try known.records.values.contains { other in
      try !other.isGone && !own.contains(other.id) && other.folder.isInside(folder)
        && other.folder != folder && context.folders.holds(other.folder)
    }
  }

  /// False where something else lies at the folder's old place.
  private func putBack(
    _ begun: MailboxRename, _ folder: FolderPath, _ record: MailboxRecord
  ) throws -> Bool {
    // Nested folders go along with the first. Elsewhere it goes last, so that whatever stops this in the middle is
    // followed by another try.
    if policy.layout == .nested {
      return try !holdsOthers(folder, below: record) && move(folder, to: record.folder)
    }
    guard try !context.tree.holds(record.folder) else { return false }
    for change in begun.changes.dropFirst().reversed() {
      guard let home = known.records[change.mailbox]?.folder, change.folder != home,
        try context.folders.holds(change.folder)
      else { continue }
      _ = try move(change.folder, to: home)
    }
    return try move(folder, to: record.folder)
  }
}
