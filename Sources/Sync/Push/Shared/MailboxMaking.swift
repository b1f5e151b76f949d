import IMAPWire
import Ledger
import MailCore
import Maildir
import SyncPlan

/// Makes mailboxes on the server, and gives those that it has their records.
struct MailboxMaking: PushPart {
  let desk: PushDesk

  /// Makes a mailbox on the server, with its record; nil where it was refused, which is told.
  func createMailbox(
    _ name: String, use: SpecialUse? = nil, for creation: PushPlan.FolderCreation? = nil
  ) throws -> MailboxKey? {
    let raw = session.names.encode(MailboxName(name, delimiter: known.delimiter))
    var named = canNameUses ? use : nil
    var result = try remote.create(raw, for: named)
    if named != nil, !result.isOK, result.throttle == nil {
      named = nil
      result = try remote.create(raw)
    }
    try result.stopIfThrottled()
    if result.code == .alreadyExists, creation != nil || use != .trash {
      report.tell(.namesake(name))
      return nil
    }
    guard result.isOK || result.code == .alreadyExists else {
      try tellRefusal(of: name, creation, result)
      return nil
    }
    if let creation, let inbox { try refusals.forgive(creation.subject, inbox) }
    if try !remote.subscribe(made: raw), !refusals.delays.isEmpty {
      try refusals.wait(beforeRetry: 0)
      // Whatever this look tells: what is to be done in the mailbox shows soon enough.
      _ = try remote.subscribe(made: raw)
    }
    var listing = MailboxListing(
      name: MailboxName(name, delimiter: known.delimiter), rawName: raw, delimiter: known.delimiter)
    if let named { listing.specialUse = [named] }
    let isKnown = known.records.values.contains { $0.isGone && $0.mailboxName == listing.name }
    if creation == nil, isKnown {
      // What is left here of one that was called so is none of the new one's.
      try MailboxRenaming(context: context).clear(listing.name)
      try known.readRecords()
    }
    return try adopt(listing, folder: creation?.folder)
  }

  /// One try in each of three pushes, and none where the server says that it is in vain; what may pass is tried by each.
  private func tellRefusal(
    of name: String, _ creation: PushPlan.FolderCreation?, _ result: TaggedResult
  ) throws {
    var isLast = false
    if let creation, let inbox, result.mayPass {
      try refusals.keepWords(inbox, creation.subject, result)
    } else if let creation, let inbox {
      let attempts = try refusals.refuse(
        inbox, creation.subject, result.text, isFinal: !result.isWorthAnotherTry)
      isLast = attempts >= PushRefusal.most
    }
    report.tell(
      RunProblem(
        mailbox: name, problem: "The server refuses to make this mailbox\(result.quoted).",
        remedy: "The folder stays here. "
          + RefusalRemedy(change: .creation, obstacle: result.obstacle, isGivenUp: isLast).words))
  }

  /// Whose record keeps what is known of folders that have no mailbox yet.
  private var inbox: MailboxKey? { known.records.first { $0.value.mailboxName.isInbox }?.key }

  /// Gives a mailbox of the server its record, and its listing for the rest of the run.
  func adopt(_ listing: MailboxListing, folder: FolderPath? = nil) throws -> MailboxKey? {
    let isUnknown = !known.records.values.contains { $0.mailboxName == listing.name }
    if folder != nil { try retire(listing.name) }
    guard let path = try folder ?? context.folders.assign([listing.name])[listing.name] else {
      report.tell(RunProblem(SyncError.noFolder(listing.name), mailbox: listing.name.text))
      return nil
    }
    // An empty mailbox tells nothing of its folder's files: its messages may have been moved to another one.
    let needsAdoption =
      isUnknown && known.folders.matches(listing.name) && context.adoptsNewMailboxes
    func complete(_ record: inout MailboxRecord) {
      record.isGone = false
      if needsAdoption { record.needsAdoption = true }
      record.rawName = listing.rawName
      record.folder = path
      record.specialUse = listing.specialUse.first?.rawValue
    }
    var record: MailboxRecord
    if let earlier = try state.mailboxes().first(where: { $0.mailboxName == listing.name }) {
      record = earlier
      complete(&record)
      try known.save(record)
    } else {
      record = try state.addMailbox(
        name: listing.name.text, rawName: listing.rawName,
        delimiter: listing.delimiter.map(String.init), folder: path, complete)
      known.remember(record)
      context.noteChange()
    }
    if !known.isListed(record) { known.add(listing) }
    return record.id
  }

  /// What is known of a mailbox of this name that is gone is of no use to another one.
  private func retire(_ name: MailboxName) throws {
    guard var gone = try state.mailboxes().first(where: { $0.mailboxName == name && $0.isGone })
    else { return }
    try FreeNames(context).retire(&gone)
    try known.save(gone)
  }

  private var canNameUses: Bool { session.capabilities.contains(.createSpecialUse) }
}
