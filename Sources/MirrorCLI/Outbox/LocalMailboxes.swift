import Foundation
import LocalChanges
import MailCore
import MailIndex
import Maildir
import Outbox
import Settings
import Sync
import SyncPlan

/// The account's folders, as far as what was sent concerns them: the copy that a mail reader saved, the
/// message that was answered, the draft that is one no longer. Changes are made as a mail reader makes
/// them, and go to the server with the next push.
final class LocalMailboxes {
  private let root: String
  private let account: AccountSettings
  private lazy var tree = try? MailTree.read(root: root)
  private lazy var index = try? IndexReader.open(root: root)
  private var saved: (since: Int64, ids: LocalFolderIDs)?
  /// As they were when the first message was sent.
  private lazy var drafts = draftFiles()

  init(root: String, account: AccountSettings) {
    self.root = root
    self.account = account
  }

  // MARK: Sent

  /// Now: a mail reader may save one at any moment.
  ///
  /// - Parameter since: when the message was queued; a copy is at most a day older.
  func sentHolds(_ id: String, since: Int64) throws -> Bool {
    let since = since - 86_400
    if saved == nil || saved?.since ?? 0 > since {
      guard let folder = folder(of: .sent), isMirrored(folder) else { return false }
      saved = (since, try LocalFolderIDs(folder: root + "/" + folder.text, since: since))
    } else {
      try saved?.ids.refresh()
    }
    return saved?.ids.holds(id) == true
  }

  /// What lies in a folder that is not mirrored never goes up.
  private func isMirrored(_ folder: FolderPath) -> Bool {
    guard let known = tree?.folders.first(where: { $0.path == folder }) else { return true }
    return account.sync.folders.matches(MailboxName(known.name, delimiter: "/"))
  }

  // MARK: After sending

  func note(_ sent: SentMessage) {
    for id in sent.answers { mark(id, .answered) }
    for id in sent.forwards { mark(id, .forwarded) }
    if let id = sent.messageID { removeDraft(id) }
  }

  private enum Mark { case answered, forwarded }

  /// What cannot be found any more, or renamed, is no failure of what was sent.
  private func mark(_ id: String, _ mark: Mark) {
    let paths = (try? index?.files(messageID: id, account: account.name)) ?? []
    for path in paths {
      let pieces = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard pieces.count > 2, let name = pieces.last,
        let place = FolderPath(
          components: pieces.dropLast(2).map { String(decoding: $0, as: UTF8.self) }),
        let folder = try? MailTree.open(place, root: root)
      else { continue }
      let base = MessageFile(subdirectory: .cur, name: Array(name)).base
      guard let file = try? FolderScan.read(folder).find(base: base)?.file(base: base) else {
        continue
      }
      let old = file.fileName.flags
      let new = old.union(mark == .answered ? .answered : .forwarded)
      if new != old {
        _ = try? folder.setFlags(new, of: file, policy: MaildirPolicy(account.sync))
      }
    }
  }

  private func removeDraft(_ id: String) {
    for _ in 0..<2 {
      guard let drafts, let folder = try? MailTree.open(drafts.place, root: root) else { return }
      let files = drafts.ids.files(id)
      if files.allSatisfy({ (try? folder.unlink($0)) == true }) { return }
      // A mail reader has renamed it since.
      self.drafts = draftFiles()
    }
  }

  private func draftFiles() -> (place: FolderPath, ids: LocalFolderIDs)? {
    guard let place = folder(of: .drafts),
      let ids = try? LocalFolderIDs(folder: root + "/" + place.text)
    else { return nil }
    return (place, ids)
  }

  /// Below the root: what the server calls so, else the folder of that name.
  private func folder(of use: SpecialUse) -> FolderPath? {
    if let mailbox = TreeFolders.mailbox(for: use, account: root + "/" + account.name) {
      return FolderPath(text: mailbox.folder.text(in: account.name))
    }
    return tree?.folders.first {
      $0.account == account.name && Keywords.fold($0.name) == use.rawValue
    }?.path
  }
}
