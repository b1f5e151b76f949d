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
    for rename in order(&plan.renames, delimiter) { renamed.remove(rename.folder) }
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

  /// Puts those behind whose names are still another's, or below one that is to be called otherwise: the server would take
  /// them along. Takes out what no server can do: a name below the mailbox's own old one, or that of another that keeps
  /// it, and one of those that wait for each other. Such a folder is a mailbox of its own, or the other's, which gets its
  /// messages.
  ///
  /// - Returns: what was taken out.
  private func order(_ renames: inout [PushPlan.FolderRename], _ delimiter: String)
    -> [PushPlan.FolderRename]
  {
    var names = Dictionary(
      mailboxes.compactMap { record in record.isGone ? nil : record.id.map { ($0, record.name) } },
      uniquingKeysWith: { $1 })
    func isAt(_ name: String, _ mailbox: Int64) -> Bool {
      names[mailbox].map { name == $0 || name.hasPrefix($0 + delimiter) } ?? false
    }
    var (pending, ordered) = (renames, [PushPlan.FolderRename]())
    var impossible: [PushPlan.FolderRename] = []
    while !pending.isEmpty {
      let next = pending.firstIndex { candidate in
        !pending.contains { $0.mailbox != candidate.mailbox && isAt(candidate.name, $0.mailbox) }
      }
      guard let next else {
        impossible.append(pending.removeFirst())
        continue
      }
      let rename = pending.remove(at: next)
      guard let old = names[rename.mailbox] else {
        ordered.append(rename)
        continue
      }
      let isTaken = names.contains { $0.key != rename.mailbox && $0.value == rename.name }
      if isTaken || rename.name.hasPrefix(old + delimiter) {
        impossible.append(rename)
        continue
      }
      ordered.append(rename)
      for (id, name) in names where name == old || name.hasPrefix(old + delimiter) {
        names[id] = rename.name + name.dropFirst(old.count)
      }
    }
    renames = ordered
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
