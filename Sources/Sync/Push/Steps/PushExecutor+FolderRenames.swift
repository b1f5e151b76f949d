import IMAPClient
import IMAPWire
import MailCore
import Maildir
import State

/// Folders that a person renamed: their mailboxes get the new name, too; where the server refuses it for good, the
/// folders get the old one back.
extension PushExecutor {
  /// - Returns: whether anything changed.
  func carryOut(_ rename: PushPlan.FolderRename, of plan: PushPlan) throws -> Bool {
    guard var record = records[rename.mailbox] else { return false }
    // With a folder above it, it went along to the new name already, or back to the old one.
    guard try record.folderPath() != rename.folder, try context.holdsFolder(rename.folder) else {
      return false
    }
    let name = MailboxName(prefixed(rename.name), delimiter: delimiter)
    if record.mailboxName == name {
      // It is called so there already: only the state has its folder at another place.
      record.folder = rename.folder.text
      try commit([record])
      return true
    }
    guard isListed(record) else {
      skip(rename.mailbox, .vanished(record.name))
      return false
    }
    guard try isStill(record, rename.mailbox) else { return false }
    let raw = remote.session.names.encode(name.text)
    let old = try record.folderPath()
    if let refusal = try askForName(raw, of: record, rename.mailbox, rename.subject) {
      return try setBack(rename, record, name, refusal, plan)
    }
    count(PushAction(.rename, mailbox: record.name, detail: name.text))
    let below = try follow(record, to: name, raw, from: old, to: rename.folder, plan)
    let oldRaw = record.rawName
    record.name = name.text
    record.rawName = raw
    record.folder = rename.folder.text
    try take(below + [record], called: raw, before: oldRaw)
    try forgetTries(rename.subject, rename.mailbox)
    try forgive(rename.subject, rename.mailbox)
    return true
  }

  /// A mailbox of this name that somebody made anew is not ours to rename: a look, right before it is.
  private func isStill(_ record: MailboxRecord, _ mailbox: Int64) throws -> Bool {
    do {
      let facts = try remote.select(mailbox, record.rawName, readOnly: true)
      remote.forgetSelection()
      guard let objection = record.objection(to: facts) else { return true }
      skip(mailbox, objection)
    } catch {
      guard case .mailbox = RunFailure(error) else { throw error }
      skip(mailbox, RunProblem(error, mailbox: record.name))
    }
    return false
  }

  /// - Returns: the server's last word, where that is no.
  private func askForName(
    _ raw: [UInt8], of record: MailboxRecord, _ mailbox: Int64, _ subject: String
  ) throws -> TaggedResult? {
    var tries = try triesSoFar(subject, mailbox)
    while true {
      try context.checkInterrupt()
      remote.forgetSelection()
      // Some servers refuse to rename what is open.
      if let inbox = listings.first(where: { $0.name.isInbox && $0.isSelectable }) {
        _ = try remote.run([.select(inbox.rawName, readOnly: true)])
      }
      let answer = try remote.run([.rename(record.rawName, to: raw)])
      guard let result = answer.results[0] else { throw IMAPError.sessionOver }
      try stopIfThrottled(result)
      if result.isOK { return nil }
      guard result.isWorthAnotherTry, tries < delays.count else { return result }
      try waitBeforeRetry(tries, subject, mailbox, result)
      tries += 1
    }
  }

  // MARK: Renamed

  /// The server renames all mailboxes below along: their records as they are now, their folders in step.
  private func follow(
    _ record: MailboxRecord, to name: MailboxName, _ raw: [UInt8], from old: FolderPath,
    to new: FolderPath, _ plan: PushPlan
  ) throws -> [MailboxRecord] {
    try mailboxes(below: record).map { other in
      var other = other
      other.rawName = raw + other.rawName.dropFirst(record.rawName.count)
      let before = other
      other.name = name.text + other.name.dropFirst(record.name.count)
      guard let place = place(of: before, called: other.name, from: old, to: new, plan),
        place.text != other.folder,
        !records.values.contains(where: { $0.id != other.id && $0.folder == place.text })
      else { return other }
      let isElsewhere = plan.renames.contains { $0.mailbox == other.id }
      if try !isElsewhere && context.holdsFolder(other.folderPath()) {
        // A crash behind this leaves the state with the old names: the next pull finds out, and takes the folder so.
        // What the server did is written down in any case.
        let isMoved = try? move(other.folderPath(), to: place)
        if isMoved != true { return other }
      } else if try !context.holdsFolder(place) {
        return other
      }
      other.folder = place.text
      return other
    }
  }

  private func mailboxes(below record: MailboxRecord) -> [MailboxRecord] {
    let separator = delimiter.map(String.init) ?? "/"
    return records.values.filter { $0.name.hasPrefix(record.name + separator) }
      .sorted { $0.name < $1.name }
  }

  /// Where the folder of a mailbox below a renamed one ought to be: where the person put it under this name, else in
  /// step with the one above.
  private func place(
    of other: MailboxRecord, called name: String, from old: FolderPath, to new: FolderPath,
    _ plan: PushPlan
  ) -> FolderPath? {
    if let own = plan.renames.first(where: { $0.mailbox == other.id }) {
      return prefixed(own.name) == name ? own.folder : nil
    }
    let separator = policy.layout == .nested ? "/" : "."
    guard other.folder.hasPrefix(old.text + separator) else { return nil }
    return FolderPath(text: new.text + other.folder.dropFirst(old.text.count))
  }

  /// False where something lies there already.
  private func move(_ folder: FolderPath, to place: FolderPath) throws -> Bool {
    do throws(MaildirError) {
      try context.renameFolder(folder, to: place)
      return true
    } catch {
      if case .nameTaken = error { return false }
      throw error
    }
  }

  private func take(_ changed: [MailboxRecord], called raw: [UInt8], before old: [UInt8]) throws {
    try commit(changed)
    // Subscriptions are names: they do not follow by themselves.
    _ = try remote.run(
      changed.map { .subscribe($0.rawName) }
        + changed.map { .unsubscribe(old + $0.rawName.dropFirst(raw.count)) })
    for other in changed {
      listings.append(
        MailboxListing(
          name: other.mailboxName, rawName: other.rawName, delimiter: other.delimiter?.first))
    }
  }

  private func commit(_ changed: [MailboxRecord]) throws {
    var changed = changed
    try state.transaction { transaction in
      for index in changed.indices {
        changed[index].newModified = 0
        changed[index].curModified = 0
        try transaction.save(&changed[index])
        if let id = changed[index].id { try transaction.removeScan(of: id) }
      }
    }
    context.noteChange()
    for record in changed { remember(record) }
  }

  // MARK: Refused

  /// Refused for good: the folder here gets its old name again, with those below it. The state knows no other, so a
  /// crash in between leaves nothing to repair.
  private func setBack(
    _ rename: PushPlan.FolderRename, _ record: MailboxRecord, _ name: MailboxName,
    _ result: TaggedResult, _ plan: PushPlan
  ) throws -> Bool {
    let problem = "The server refuses the new name “\(name.text.visible)”\(result.quoted)"
    if result.isTransient {
      try forgetTries(rename.subject, rename.mailbox)
      skip(
        rename.mailbox,
        RunProblem(
          mailbox: record.name, problem: problem + ": the folder waits.",
          remedy: "Push again later."))
      return false
    }
    guard try putBack(rename, record, name, plan) else {
      try refuse(rename.mailbox, rename.subject, result.text, isFinal: true)
      try forgetTries(rename.subject, rename.mailbox)
      skip(
        rename.mailbox,
        RunProblem(
          mailbox: record.name,
          problem: problem
            + "; the folder cannot get its old name “\(record.folder.visible)” again, "
            + "which is taken here: it stays, and what was done in it waits.",
          remedy: "Give it another name; `mirror push --full` tries this one again."))
      return false
    }
    try forgetTries(rename.subject, rename.mailbox)
    try forgive(rename.subject, rename.mailbox)
    context.noteChange()
    context.note(
      RunProblem(
        mailbox: record.name,
        problem: problem + "; the folder here has its old name “\(record.folder.visible)” again."))
    return true
  }

  /// False where something else lies at the folder's old place.
  private func putBack(
    _ rename: PushPlan.FolderRename, _ record: MailboxRecord, _ name: MailboxName, _ plan: PushPlan
  ) throws -> Bool {
    let home = try record.folderPath()
    var below: [(home: FolderPath, place: FolderPath)] = []
    for other in mailboxes(below: record) {
      let called = name.text + other.name.dropFirst(record.name.count)
      if let place = place(of: other, called: called, from: home, to: rename.folder, plan) {
        below.append((try other.folderPath(), place))
      }
    }
    // Nested folders go along with the first. Elsewhere it goes last, so that whatever stops this in the middle is
    // followed by another try.
    if policy.layout == .nested { return try move(rename.folder, to: home) }
    guard try !context.tree.holds(home) else { return false }
    for (home, place) in below.reversed() where try context.holdsFolder(place) {
      _ = try move(place, to: home)
    }
    return try move(rename.folder, to: home)
  }
}

extension PushPlan.FolderRename {
  /// What a refusal of it is called in the state.
  var subject: String { "rename " + name }
}
