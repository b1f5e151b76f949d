import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

extension PushExecutor {
  /// Folders that were renamed or made here.
  ///
  /// - Returns: whether anything changed: then the tree is to be looked at again.
  func carryOutFolders(_ plan: PushPlan) throws -> Bool {
    guard !plan.renames.isEmpty || !plan.creations.isEmpty else { return false }
    isListFresh = false
    var changed = false
    // What lies below a folder that has to wait waits, too: the server would make what is above it.
    let delimiter = delimiter.map(String.init) ?? "/"
    func waits(_ name: String) -> Bool { waitingFolders.contains { name.isBelow($0, delimiter) } }
    for rename in plan.renames {
      guard triedFolders.insert(rename.folder).inserted, !waits(rename.name) else { continue }
      try context.checkInterrupt()
      try sparing(rename.mailbox) { changed = try carryOut(rename, of: plan) || changed }
      if isSkipped(rename.mailbox) {
        waitingFolders.append(rename.name)
      }
    }
    for creation in plan.creations {
      guard triedFolders.insert(creation.folder).inserted, !waits(creation.name) else { continue }
      try context.checkInterrupt()
      try context.sparing(creation.folder.text) { changed = try carryOut(creation) || changed }
      if !remote.session.isUsable { throw IMAPError.sessionOver }
    }
    return changed
  }

  func carryOut(_ creation: PushPlan.FolderCreation) throws -> Bool {
    // It went along with a folder above it: to its mailbox's new name, or back to the old one.
    let owns = { (record: MailboxRecord) in
      try !record.isGone && record.folderPath() == creation.folder
    }
    if try records.values.contains(where: owns) { return false }
    guard try context.folders.holds(creation.folder) else { return false }
    let name = MailboxName(creation.name, delimiter: delimiter)
    if let home = try home(of: name) {
      context.note(DoubledFolder(folder: creation.folder, of: home).problem)
      return false
    }
    if var known = records.values.first(where: { !$0.isGone && $0.mailboxName == name }),
      isListed(known)
    {
      // Its folder is gone, and this one is called like it: what lies here goes there.
      known.folder = creation.folder.text
      var changed = [known]
      try RenameJournal(context).commit(&changed)
      remember(changed[0])
      return true
    }
    // A name that only has others below it is nobody's mailbox, and can become one.
    let raw = remote.session.names.encode(name)
    let there = listings.first { $0.isSelectable && ($0.name == name || $0.rawName == raw) }
    if let there, let home = records.values.first(where: { $0.mailboxName == there.name }),
      there.name != name, !home.isGone
    {
      // It is spelled out, and the one that the server calls so has a folder that is called as it reads.
      context.note(DoubledFolder(folder: creation.folder, of: home).problem)
      return false
    }
    if let there {
      // Perhaps this was made by a push that died right behind. With nothing in it, nothing can be sent twice.
      if there.status?.messages == 0 {
        return try adopt(there, folder: creation.folder) != nil
      }
      context.note(
        RunProblem(
          mailbox: there.name.text,
          problem:
            "The server has a mailbox of this name already, which was not pulled yet: the folder waits.",
          remedy: "Run `mirror pull`, then push again."))
      return false
    }
    if let parent = lostParent(of: name) {
      context.note(.vanished(parent.name))
      return false
    }
    guard try createMailbox(name.text, use: useToBe(name), for: creation) != nil else {
      return false
    }
    count(PushAction(.create, mailbox: name.text))
    return true
  }

  /// What clients take a mailbox of this name for, where the server has none for that yet (RFC 6154, section 3).
  private func useToBe(_ name: MailboxName) -> SpecialUse? {
    let uses: [SpecialUse] = [.trash, .archive, .sent, .drafts, .junk]
    return uses.first { use in
      let names = FolderRoles.names(of: use)
      return FolderRoles.isNamed(name, names)
        && !listings.contains {
          $0.specialUse.contains(use) || $0.isSelectable && FolderRoles.isNamed($0.name, names)
        }
    }
  }

  /// A mailbox above this name that the server does not list: renamed or removed by another client. A pull has to settle
  /// that first, or what is made below the old name stays there without it.
  func lostParent(of name: MailboxName) -> MailboxRecord? {
    guard let delimiter = name.delimiter else { return nil }
    return records.values.first {
      !$0.isGone && name.text.isBelow($0.name, String(delimiter)) && !isListed($0)
    }
  }

  /// The mailbox of this name, where it has a folder already.
  private func home(of name: MailboxName) throws -> MailboxRecord? {
    try records.values.first {
      try !$0.isGone && $0.mailboxName == name && context.tree.holds($0.folderPath())
    }
  }

  /// Makes a mailbox on the server, with its record; nil where it was refused, which is told.
  func createMailbox(
    _ name: String, use: SpecialUse? = nil, for creation: PushPlan.FolderCreation? = nil
  ) throws -> Int64? {
    let raw = remote.session.names.encode(MailboxName(name, delimiter: delimiter))
    var named = canNameUses ? use : nil
    var answer = try remote.run([.create(raw, use: named)])
    if let refusal = answer.results[0], named != nil, !refusal.isOK, refusal.throttle == nil {
      named = nil
      answer = try remote.run([.create(raw)])
    }
    guard let result = answer.results[0] else { throw IMAPError.sessionOver }
    try stopIfThrottled(result)
    if result.code == .alreadyExists, creation != nil || use != .trash {
      // It is somebody else's, and may hold mail: nothing goes there before a pull.
      context.note(
        RunProblem(
          mailbox: name,
          problem:
            "The server has a mailbox of this name already, which was not pulled yet: the folder waits.",
          remedy: "Run `mirror pull`, then push again."))
      return nil
    }
    guard result.isOK || result.code == .alreadyExists else {
      try noteRefusal(of: name, creation, result)
      return nil
    }
    if let creation, let inbox { try forgive(creation.subject, inbox) }
    // A mailbox that nobody subscribed to is hidden from many clients.
    _ = try remote.run([.subscribe(raw)])
    var listing = MailboxListing(
      name: MailboxName(name, delimiter: delimiter), rawName: raw, delimiter: delimiter)
    if let named { listing.specialUse = [named] }
    let isKnown = records.values.contains { $0.isGone && $0.mailboxName == listing.name }
    if creation == nil, isKnown {
      // What is left here of one that was called so is none of the new one's.
      try MailboxRenaming(context: context).clear(listing.name)
      try readRecords()
    }
    return try adopt(listing, folder: creation?.folder)
  }

  /// One try in each of three pushes, and none where the server says that it is in vain.
  private func noteRefusal(
    of name: String, _ creation: PushPlan.FolderCreation?, _ result: TaggedResult
  ) throws {
    var isLast = false
    if let creation, let inbox, !result.isTransient {
      let attempts = try refuse(
        inbox, creation.subject, result.text, isFinal: !result.isWorthAnotherTry)
      isLast = attempts >= PushRefusal.most
    }
    context.note(
      RunProblem(
        mailbox: name, problem: "The server refuses to make this mailbox\(result.quoted).",
        remedy: isLast
          ? "The folder stays here. Give it another name; `mirror push --full` tries this one again."
          : "The folder stays here; the next push tries again."))
  }

  /// Whose record keeps what is known of folders that have no mailbox yet.
  private var inbox: Int64? { records.first { $0.value.mailboxName.isInbox }?.key }

  /// Gives a mailbox of the server its record, and its listing for the rest of the run.
  func adopt(_ listing: MailboxListing, folder: FolderPath? = nil) throws -> Int64? {
    let layout = Maildir.FolderLayout(
      style: policy.layout, traits: try context.tree.traits())
    if folder != nil { try retire(listing.name) }
    var kept: [MailboxName: FolderPath] = [:]
    for record in records.values { kept[record.mailboxName] = try record.folderPath() }
    guard let path = folder ?? layout.assign([listing.name], keeping: kept)[listing.name] else {
      context.note(RunProblem(SyncError.noFolder(listing.name), mailbox: listing.name.text))
      return nil
    }
    var record =
      try state.mailboxes().first { $0.mailboxName == listing.name }
      ?? MailboxRecord(
        name: listing.name.text, rawName: listing.rawName,
        delimiter: listing.delimiter.map(String.init), folder: path.text)
    record.isGone = false
    record.rawName = listing.rawName
    record.folder = path.text
    record.specialUse = listing.specialUse.first?.rawValue
    try save(&record)
    if !isListed(record) { listings.append(listing) }
    return record.id
  }

  /// What is known of a mailbox of this name that is gone is of no use to another one.
  private func retire(_ name: MailboxName) throws {
    guard var gone = try state.mailboxes().first(where: { $0.mailboxName == name && $0.isGone })
    else { return }
    try FreeNames(context).retire(&gone)
    try save(&gone)
  }

  var delimiter: Character? { listings.lazy.compactMap(\.delimiter).first }
  private var canNameUses: Bool { remote.session.capabilities.contains(.createSpecialUse) }

  /// The name as the server wants it: some put all mailboxes below `INBOX.`
  func prefixed(_ name: String) -> String { NamePrefix(remote.session).full(name) }
}
