import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Mailboxes whose folder is an empty directory.
struct BareFolders {
  let seen: SeenTree

  /// An empty directory is one that a disk is to be mounted on, unless all that was in it lies elsewhere under its old
  /// names: then a person moved it, and left the directory behind. A copy under another name may be another's.
  ///
  /// What is known to lie there and is found elsewhere may have been moved, or copied: until that shows, nothing is sent
  /// of it, or it would be there twice.
  func sort(
    _ bare: [MailboxRecord], _ missing: inout [MissingMessage], _ unknown: inout [UnknownFile],
    _ changes: inout TreeChanges
  ) throws {
    let known = try withoutSurplus(unknown)
    for id in bare.map(\.id) {
      let held = try seen.messages(of: id)
      // What cannot be read is reported when all is matched.
      var ignored = TreeChanges()
      let files = try known + seen.filesInNewFolders(held, &ignored)
      let found = Dictionary(
        files.map { ($0.file.stem, $0.digest.contentHash) }, uniquingKeysWith: { $1 })
      let elsewhere = held.map(\.record).filter {
        $0.contentHash != .unknown && found[$0.stem] == $0.contentHash
      }
      guard !held.isEmpty, elsewhere.count == held.count else {
        changes.unmountedFolders.append(id)
        hold(elsewhere, of: id, &unknown, &changes)
        continue
      }
      changes.looked.insert(id)
      changes.goneFolders.append(id)
      changes.expected[id] = held.count
      missing += held
    }
  }

  private func hold(
    _ elsewhere: [MessageRecord], of mailbox: MailboxKey, _ unknown: inout [UnknownFile],
    _ changes: inout TreeChanges
  ) {
    let contents = Dictionary(
      elsewhere.map { ($0.stem, $0.contentHash) }, uniquingKeysWith: { $1 })
    let before = unknown.count
    unknown.removeAll { contents[$0.file.stem] == $0.digest.contentHash }
    if unknown.count < before { changes.unmountedElsewhere[mailbox] = before - unknown.count }
  }

  /// A file that is known to repeat a message of its own folder was not moved there.
  private func withoutSurplus(_ files: [UnknownFile]) throws -> [UnknownFile] {
    var surplus: [MailboxKey: Set<NameHash>] = [:]
    for mailbox in Set(files.compactMap(\.mailbox)) {
      surplus[mailbox] = Set(try seen.scope.state.surplus(in: mailbox).map(\.nameHash))
    }
    return files.filter { file in
      file.mailbox.flatMap { surplus[$0] }?.contains(file.file.baseHash) != true
    }
  }
}
