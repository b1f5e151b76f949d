import MailCore
import Maildir
import State

/// Pure: an account's mailboxes as they will be when the server has taken a plan's folders.
struct ForeseenMailboxes {
  private(set) var mailboxes: [MailboxRecord]
  /// Renames and creations, as a push counts them: what goes along with a folder above it is none.
  private(set) var actions: [PushAction] = []

  init(_ mailboxes: [MailboxRecord], behind plan: PushPlan) {
    self.mailboxes = mailboxes
    for rename in plan.renames { take(rename) }
    for (number, creation) in plan.creations.enumerated() { take(creation, id: -1 - Int64(number)) }
  }

  private mutating func take(_ rename: PushPlan.FolderRename) {
    guard let place = mailboxes.firstIndex(where: { $0.id == rename.mailbox }) else { return }
    let old = mailboxes[place]
    mailboxes[place].folder = rename.folder.text
    guard old.name != rename.name else { return }
    actions.append(PushAction(.rename, mailbox: old.name, detail: rename.name))
    mailboxes[place].name = rename.name
    let below = old.name + (old.delimiter ?? "/")
    for index in mailboxes.indices where mailboxes[index].name.hasPrefix(below) {
      mailboxes[index].name = rename.name + mailboxes[index].name.dropFirst(old.name.count)
      if mailboxes[index].folder.hasPrefix(old.folder + "/") {
        mailboxes[index].folder =
          rename.folder.text + mailboxes[index].folder.dropFirst(old.folder.count)
      }
    }
  }

  /// - Parameter id: no mailbox of the state has it.
  private mutating func take(_ creation: PushPlan.FolderCreation, id: Int64) {
    let folder = creation.folder.text
    if mailboxes.contains(where: { $0.folder == folder && !$0.isGone }) { return }
    if let place = mailboxes.firstIndex(where: { $0.name == creation.name && !$0.isGone }) {
      mailboxes[place].folder = folder
      return
    }
    actions.append(PushAction(.create, mailbox: creation.name))
    var record = MailboxRecord(
      name: creation.name, rawName: [], delimiter: mailboxes.lazy.compactMap(\.delimiter).first,
      folder: folder)
    record.id = id
    mailboxes.append(record)
  }
}
