import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// The account's folders as they were when a scan began, and what it reads of them.
struct SeenTree {
  let scope: ScanScope
  let skipsRaced: Bool
  let folders: [FolderPath]
  /// Folders that could not be listed: they may hold any message.
  let unread: [FolderPath]
  /// These hold mail, and can be no mailbox's.
  let unnamed: [String]
  /// Of every folder, before any was read.
  let stamps: [FolderPath: FolderStamp]
  /// Folders that are no mailbox's.
  let newFolders: [FolderPath]

  init(_ scope: ScanScope, skipsRaced: Bool) throws {
    self.scope = scope
    self.skipsRaced = skipsRaced
    (folders, unread, unnamed) = try scope.tree.readableFolders(
      scope.policy.layout, owned: scope.homes)
    var stamps: [FolderPath: FolderStamp] = [:]
    for path in folders {
      do throws(MaildirError) {
        let folder = try MaildirFolder.open(path, in: scope.tree)
        stamps[path] = try FolderScan.quietStamp(folder).0
      } catch {
        if error.stopsRun { throw error }
      }
    }
    self.stamps = stamps
    let owned = Set(scope.mailboxes.map(\.folder))
    newFolders = folders.filter { !owned.contains($0) }
  }

  /// Whether any folder changed since: then a file may have been moved past the scan.
  func hasChanged() throws -> Bool {
    guard
      try scope.tree.readableFolders(scope.policy.layout, owned: scope.homes)
        == (folders, unread, unnamed)
    else { return true }
    for path in folders {
      do throws(MaildirError) {
        let now = try MaildirFolder.open(path, in: scope.tree).stamp()
        guard let before = stamps[path], now.matches(before) else { return true }
      } catch {
        if error.stopsRun { throw error }
        // One that could never be looked into does not change.
        if stamps[path] != nil { return true }
      }
    }
    return false
  }

  // MARK: Reading

  /// Nil for what is no file, cannot be read, or went away.
  func read(
    _ file: MessageFile, in folder: MaildirFolder, mailbox: MailboxKey?,
    _ changes: inout TreeChanges
  ) throws -> UnknownFile? {
    do throws(MaildirError) {
      return try UnknownFile.read(file, in: folder, mailbox: mailbox, policy: scope.policy)
    } catch {
      if error.stopsRun { throw error }
      if case .vanished = error {
        guard skipsRaced else { throw FolderComparison.Raced() }
        changes.isRaced = true
      } else {
        changes.unreadable.append(folder.path.text + "/" + file.description)
      }
      return nil
    }
  }

  /// Of a folder that is no mailbox's, those that may be wanted.
  func files(in path: FolderPath, _ wanted: WantedFiles, _ changes: inout TreeChanges) throws
    -> [UnknownFile]
  {
    let folder = try MaildirFolder.open(path, in: scope.tree)
    var found: [UnknownFile] = []
    for file in try folder.files() {
      do throws(MaildirError) {
        guard try wanted.mayBe(file, in: folder) else { continue }
      } catch {
        if error.stopsRun { throw error }
        changes.unreadable.append(path.text + "/" + file.description)
        continue
      }
      if let file = try read(file, in: folder, mailbox: nil, &changes) { found.append(file) }
    }
    return found
  }

  /// Files in folders of no mailbox that may be missing messages: by name, else by size, then by content.
  func filesInNewFolders(_ missing: [MissingMessage], _ changes: inout TreeChanges) throws
    -> [UnknownFile]
  {
    guard !newFolders.isEmpty else { return [] }
    let wanted = WantedFiles(missing)
    var found: [UnknownFile] = []
    for path in newFolders {
      guard stamps[path] != nil else {
        changes.unreadFolders.append(path.text)
        continue
      }
      found += try files(in: path, wanted, &changes)
    }
    return found
  }

  func messages(of mailbox: MailboxKey) throws -> [MissingMessage] {
    var held: [MissingMessage] = []
    try scope.state.forEachMessage(in: mailbox) { message in
      guard !message.isPruned, !message.traits.contains(.expunged) else { return }
      held.append(MissingMessage(mailbox: mailbox, record: message))
    }
    return held
  }
}
