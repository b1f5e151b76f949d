import Ledger
import MailCore
import Maildir
import SyncPlan

/// Pure: which folders that are no mailbox's are those of mailboxes under a new name.
struct FolderRenames {
  let mailboxes: [MailboxRecord]
  let layout: LayoutStyle

  /// A mailbox's folder is gone, and most of what was in it lies in one that is no mailbox's: the folder was renamed.
  /// Where two were merged, it is the one that moved with a folder above it, else that of which more is there.
  func find(in changes: TreeChanges) -> [TreeChanges.RenamedFolder] {
    var found: [(rename: TreeChanges.RenamedFolder, count: Int)] = []
    for mailbox in changes.goneFolders {
      let expected = changes.expected[mailbox] ?? 0
      var places: [FolderPath: Int] = [:]
      for move in changes.moved
      where move.from == mailbox && changes.newFolders.contains(move.file.folder)
        && move.record.name == move.file.file.base
      {
        places[move.file.folder, default: 0] += 1
      }
      guard let best = places.max(by: { ($0.value, $1.key.text) < ($1.value, $0.key.text) }),
        best.value * 2 > expected
      else { continue }
      found.append(
        (TreeChanges.RenamedFolder(mailbox: mailbox, folder: best.key), best.value))
    }
    let alone = Set(found.map(\.rename)).subtracting(belowRenamed(found.map(\.rename)))
    func rank(_ candidate: (rename: TreeChanges.RenamedFolder, count: Int)) -> (Int, Int) {
      (alone.contains(candidate.rename) ? 0 : 1, candidate.count)
    }
    let chosen = Dictionary(found.map { ($0.rename.folder, $0) }) { rank($1) > rank($0) ? $1 : $0 }
    return found.map(\.rename).filter { chosen[$0.folder]?.rename == $0 }
  }

  /// Those that are where the rename of a folder above them takes them.
  private func belowRenamed(_ renames: [TreeChanges.RenamedFolder]) -> [TreeChanges.RenamedFolder] {
    let homes = Dictionary(
      mailboxes.map { ($0.id, $0.folder) }, uniquingKeysWith: { $1 })
    return renames.filter { rename in
      guard let home = homes[rename.mailbox] else { return false }
      return renames.contains { above in
        guard let old = homes[above.mailbox] else { return false }
        return layout.place(of: home, from: old, to: above.folder) == rename.folder
      }
    }
  }
}
