import Ledger
import MailCore
import Maildir

/// Folders that were renamed or made here.
struct FolderPlanning {
  let situation: PushSituation

  func plan(_ changes: TreeChanges, _ plan: inout PushPlan) {
    var renamed = Set<FolderPath>()
    var refused: [String] = []
    let delimiter = situation.mailboxes.lazy.compactMap(\.delimiter).first ?? "/"
    for change in changes.renamedFolders {
      guard let name = situation.mailboxToBe(change.folder),
        situation.record(change.mailbox)?.isInbox == false
      else { continue }
      renamed.insert(change.folder)
      if isRefused(change, name) { refused.append(name) }
      plan.renames.append(
        PushPlan.FolderRename(mailbox: change.mailbox, folder: change.folder, name: name))
    }
    // The server would make what is above them.
    func isBelowRefused(_ name: String) -> Bool {
      refused.contains { name.utf8.elementsEqual($0.utf8) || name.isBelow($0, delimiter) }
    }
    plan.renames.removeAll { isBelowRefused($0.name) }
    // Parents first: the server renames what is below with them. Their names are shorter in every layout.
    plan.renames.sort { $0.name.utf8.count < $1.name.utf8.count }
    let order = RenameOrder(plan.renames, names: names, delimiter: delimiter)
    plan.renames = order.possible
    for rename in order.impossible { renamed.remove(rename.folder) }
    for folder in changes.newFolders where !renamed.contains(folder) {
      if let doubled = situation.doubled(folder) {
        plan.doubled.append(doubled)
        continue
      }
      guard let name = situation.mailboxToBe(folder), !isBelowRefused(name) else { continue }
      let creation = PushPlan.FolderCreation(folder: folder, name: name)
      if isRefused(creation) {
        plan.refusedCreations.append(creation)
      } else {
        plan.creations.append(creation)
      }
    }
  }

  /// Of all mailboxes that the server has.
  private var names: [MailboxKey: String] {
    let known = situation.mailboxes.lazy.filter { !$0.isGone }
    return Dictionary(known.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
  }

  private func isRefused(_ creation: PushPlan.FolderCreation) -> Bool {
    situation.mailboxes.contains {
      situation.denied[$0.id]?.contains(creation.subject) == true
    }
  }

  /// The server refuses this name, and the folder could not get its old one again: no other mailbox is made of it.
  private func isRefused(_ change: TreeChanges.RenamedFolder, _ name: String) -> Bool {
    let rename = PushPlan.FolderRename(mailbox: change.mailbox, folder: change.folder, name: name)
    return situation.denied[change.mailbox]?.contains(rename.subject) == true
  }
}
