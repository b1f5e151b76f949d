import Ledger
import MailCore

/// An account's mailboxes as they will be after the server has carried out a plan's work on folders.
package struct ForeseenMailboxes {
  package private(set) var mailboxes: [MailboxRecord]
  /// Renames and creations, as a push counts them: a mailbox that is renamed with the one above it does not count.
  package private(set) var actions: [PushAction] = []

  /// - Parameter places: of `plan`.
  package init(_ mailboxes: [MailboxRecord], after plan: PushPlan, _ places: RenamedPlaces) throws {
    self.mailboxes = mailboxes
    for rename in plan.renames { try apply(rename, places) }
    let lowest = min(0, mailboxes.map(\.id.rawValue).min() ?? 0)
    for (number, creation) in plan.creations.enumerated() {
      apply(creation, id: MailboxKey(lowest - 1 - Int64(number)))
    }
  }

  private mutating func apply(_ rename: PushPlan.FolderRename, _ places: RenamedPlaces) throws {
    guard let place = mailboxes.firstIndex(where: { $0.id == rename.mailbox }) else { return }
    let old = mailboxes[place]
    guard old.name != rename.name else {
      mailboxes[place].folder = rename.folder
      return
    }
    actions.append(PushAction(.rename, mailbox: old.name, detail: rename.name))
    let change = try MailboxRename(rename, of: old, among: mailboxes, places)
    mailboxes = try change.applied(to: mailboxes, holds: places.holds)
  }

  /// - Parameter id: no mailbox of the state has it.
  private mutating func apply(_ creation: PushPlan.FolderCreation, id: MailboxKey) {
    let folder = creation.folder
    if mailboxes.contains(where: { $0.folder == folder && !$0.isGone }) { return }
    if let place = mailboxes.firstIndex(where: { $0.name == creation.name && !$0.isGone }) {
      mailboxes[place].folder = folder
      return
    }
    actions.append(PushAction(.create, mailbox: creation.name))
    mailboxes.append(
      MailboxRecord(
        id: id, name: creation.name, rawName: [],
        delimiter: mailboxes.lazy.compactMap(\.delimiter).first, folder: folder))
  }
}
