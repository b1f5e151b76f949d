import IMAPWire
import Ledger
import MailCore
import Maildir
import SyncPlan

/// Folders that were made here: each becomes a mailbox.
struct FolderCreationStep: PushPart {
  let desk: PushDesk
  private var making: MailboxMaking { MailboxMaking(desk: desk) }

  func carryOut(_ creation: PushPlan.FolderCreation) throws -> Bool {
    // It went along with a folder above it: to its mailbox's new name, or back to the old one.
    let isOwned = known.records.values.contains { !$0.isGone && $0.folder == creation.folder }
    if isOwned { return false }
    guard try context.folders.holds(creation.folder) else { return false }
    let name = MailboxName(creation.name, delimiter: known.delimiter)
    if name.isOutbox, session.quirks.contains(.outboxSends) {
      report.tell(
        RunProblem(
          mailbox: creation.name,
          problem:
            "This server sends what is put into a mailbox of this name: it is not made there.",
          remedy: "The folder stays here. Give it another name, and the next push makes it.",
          exitStatus: .done))
      return false
    }
    if let home = try home(of: name) {
      report.tell(DoubledFolder(folder: creation.folder, of: home).problem)
      return false
    }
    let namesake = known.records.values.first { !$0.isGone && $0.mailboxName == name }
    if let namesake, known.isListed(namesake) {
      // Its folder is gone, and this one is called like it: what lies here goes there.
      try keep(namesake, in: creation.folder)
      return true
    }
    // A name that only has others below it is nobody's mailbox, and can become one.
    let raw = session.names.encode(name)
    let there = known.listings.first { $0.isSelectable && ($0.name == name || $0.rawName == raw) }
    if let there, let home = known.records.values.first(where: { $0.mailboxName == there.name }),
      there.name != name, !home.isGone
    {
      // It is spelled out, and the one that the server calls so has a folder that is called as it reads.
      report.tell(DoubledFolder(folder: creation.folder, of: home).problem)
      return false
    }
    if let there {
      // Perhaps this was made by a push that died right after. With nothing in it, nothing can be sent twice.
      if there.status?.messages == 0 {
        return try making.adopt(there, folder: creation.folder) != nil
      }
      report.tell(.namesake(there.name.text))
      return false
    }
    if let parent = lostParent(of: name) {
      report.tell(.vanished(parent.name))
      return false
    }
    guard try making.createMailbox(name.text, use: useToBe(name), for: creation) != nil else {
      return false
    }
    report.count(PushAction(.create, mailbox: name.text))
    return true
  }

  func keep(_ record: MailboxRecord, in folder: FolderPath) throws {
    var changed = [record]
    changed[0].folder = folder
    try RenameJournal(context).commit(&changed)
    known.remember(changed[0])
  }

  /// What clients take a mailbox of this name for, where the server has none for that yet (RFC 6154, section 3).
  private func useToBe(_ name: MailboxName) -> SpecialUse? {
    let uses: [SpecialUse] = [.trash, .archive, .sent, .drafts, .junk]
    return uses.first { use in
      let names = FolderRoles.names(of: use)
      return FolderRoles.isNamed(name, names)
        && !known.listings.contains {
          $0.specialUse.contains(use) || $0.isSelectable && FolderRoles.isNamed($0.name, names)
        }
    }
  }

  /// A mailbox above this name that the server does not list: renamed or removed by another client. A pull has to look
  /// at that first, or what is made below the old name stays there without it.
  func lostParent(of name: MailboxName) -> MailboxRecord? {
    guard let delimiter = name.delimiter else { return nil }
    return known.records.values.first {
      !$0.isGone && name.text.isBelow($0.name, String(delimiter)) && !known.isListed($0)
    }
  }

  /// The mailbox of this name, where it has a folder already.
  private func home(of name: MailboxName) throws -> MailboxRecord? {
    try known.records.values.first {
      try !$0.isGone && $0.mailboxName == name && context.tree.holds($0.folder)
    }
  }
}
