import MailCore
import Maildir
import State

extension PushPlanner {
  func planFolders(_ changes: LocalChanges, _ plan: inout PushPlan) {
    var renamed = Set<FolderPath>()
    var refused: [String] = []
    let delimiter = mailboxes.lazy.compactMap(\.delimiter).first ?? "/"
    for change in changes.renamedFolders {
      guard let name = mailboxToBe(change.folder), record(change.mailbox)?.isInbox == false
      else { continue }
      renamed.insert(change.folder)
      if isRefused(change, name) { refused.append(name + delimiter) }
      plan.renames.append(
        PushPlan.FolderRename(mailbox: change.mailbox, folder: change.folder, name: name))
    }
    // The server would make what is above them.
    func isBelowRefused(_ name: String) -> Bool {
      refused.contains { (name + delimiter).hasPrefix($0) }
    }
    plan.renames.removeAll { isBelowRefused($0.name) }
    // Parents first: the server renames what is below along with them. Their names are shorter in every layout.
    plan.renames.sort { $0.name.utf8.count < $1.name.utf8.count }
    for rename in takeImpossible(&plan.renames, delimiter) { renamed.remove(rename.folder) }
    for folder in changes.newFolders where !renamed.contains(folder) {
      if let doubled = doubled(folder) {
        plan.doubled.append(doubled)
        continue
      }
      guard let name = mailboxToBe(folder), !isBelowRefused(name) else { continue }
      let creation = PushPlan.FolderCreation(folder: folder, name: name)
      if isRefused(creation) {
        plan.refusedCreations.append(creation)
      } else {
        plan.creations.append(creation)
      }
    }
  }

  /// Takes out what no server can do: a name below the mailbox's own old one, or that of another mailbox, as they are
  /// behind the renames before. The folder is a mailbox of its own, or the other's, which gets its messages.
  private func takeImpossible(_ renames: inout [PushPlan.FolderRename], _ delimiter: String)
    -> [PushPlan.FolderRename]
  {
    var names = Dictionary(
      mailboxes.compactMap { record in record.isGone ? nil : record.id.map { ($0, record.name) } },
      uniquingKeysWith: { $1 })
    var impossible: [PushPlan.FolderRename] = []
    renames.removeAll { rename in
      guard let old = names[rename.mailbox] else { return false }
      let isTaken = names.contains { $0.key != rename.mailbox && $0.value == rename.name }
      if isTaken || rename.name.hasPrefix(old + delimiter) {
        impossible.append(rename)
        return true
      }
      for (id, name) in names where name == old || name.hasPrefix(old + delimiter) {
        names[id] = rename.name + name.dropFirst(old.count)
      }
      return false
    }
    return impossible
  }

  private func isRefused(_ creation: PushPlan.FolderCreation) -> Bool {
    mailboxes.contains { mailbox in
      mailbox.id.map { denied[$0]?.contains(creation.subject) == true } ?? false
    }
  }

  /// The server does not take this name, and the folder could not get its old one again: no other mailbox is made of it.
  private func isRefused(_ change: LocalChanges.RenamedFolder, _ name: String) -> Bool {
    let rename = PushPlan.FolderRename(mailbox: change.mailbox, folder: change.folder, name: name)
    return denied[change.mailbox]?.contains(rename.subject) == true
  }
}
