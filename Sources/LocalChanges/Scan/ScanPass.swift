import Foundation
import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// One look at the whole account.
struct ScanPass {
  let finder: ChangeFinder
  let skipsRaced: Bool
  let folders: [FolderPath]
  /// What is in these, and whether anything is, nobody knows.
  private let unread: [FolderPath]
  /// These hold mail, and can be no mailbox's.
  private let unnamed: [String]
  /// Of every folder, before any was read.
  let stamps: [FolderPath: FolderStamp]
  private let now: Int64
  let owners: [FolderPath: MailboxRecord]
  private let drafts: Set<Int64>

  init(_ finder: ChangeFinder, skipsRaced: Bool) throws {
    self.finder = finder
    self.skipsRaced = skipsRaced
    drafts = FolderRoles(finder.mailboxes).drafts
    now = Int64(Date().timeIntervalSince1970 * 1e9)
    var owners: [FolderPath: MailboxRecord] = [:]
    for record in finder.mailboxes { owners[try record.folderPath()] = record }
    self.owners = owners
    (folders, unread, unnamed) = try finder.tree.readableFolders(
      finder.policy.layout, owned: finder.homes)
    var stamps: [FolderPath: FolderStamp] = [:]
    for path in folders {
      do throws(MaildirError) {
        let folder = try MaildirFolder.open(path, in: finder.tree)
        stamps[path] = try FolderScan.quietStamp(folder).0
      } catch {
        if error.stopsRun { throw error }
      }
    }
    self.stamps = stamps
  }

  /// Whether any folder changed since the pass began: then a file may have been moved past it.
  func isRaced(_ changes: TreeChanges) throws -> Bool {
    if changes.isRaced { return true }
    guard !changes.gone.isEmpty || !changes.new.isEmpty || !changes.moved.isEmpty else {
      return false
    }
    guard
      try finder.tree.readableFolders(finder.policy.layout, owned: finder.homes)
        == (folders, unread, unnamed)
    else { return true }
    for path in folders {
      do throws(MaildirError) {
        let now = try MaildirFolder.open(path, in: finder.tree).stamp()
        guard let before = stamps[path], now.matches(before) else { return true }
      } catch {
        if error.stopsRun { throw error }
        // One that could never be looked into does not change.
        if stamps[path] != nil { return true }
      }
    }
    return false
  }

  func changes() throws -> TreeChanges {
    var changes = TreeChanges()
    changes.unreadFolders = unread.map(\.text)
    changes.unnamedFolders = unnamed
    let scans = Dictionary(
      try finder.state.pushScans().map { ($0.mailbox, $0) }, uniquingKeysWith: { $1 })
    let identities = try finder.state.folderIdentities()
    var missing: [MissingMessage] = []
    var unknown: [UnknownFile] = []
    var bare: [MailboxRecord] = []
    let present = Set(folders)
    for record in finder.mailboxes {
      try finder.checkInterrupt()
      guard let id = record.id else { continue }
      let path = try record.folderPath()
      if unread.contains(where: path.isInside) { continue }
      guard present.contains(path) else {
        try note(absent: record, id, path, &changes, &missing, &bare)
        continue
      }
      guard let found = try compare(record, id, path, scans[id], &changes) else { continue }
      changes.marks += found.marks
      changes.edited += found.edited
      changes.looked.insert(id)
      changes.expected[id] = found.expected
      missing += found.missing.map { MissingMessage(mailbox: id, record: $0) }
      unknown += try read(found, &changes)
      noteIdentity(found, identities[id], &changes)
      noteScan(found, &changes)
    }
    if !bare.isEmpty { try settleBare(bare, &missing, &unknown, &changes) }
    try match(missing, unknown, &changes)
    changes.isEmptied = try isEmptied(changes)
    return changes
  }

  /// Folders that were passed over are as they were; of those that could not be looked into nothing is known.
  private func isEmptied(_ changes: TreeChanges) throws -> Bool {
    let expected = changes.expected.values.reduce(0, +)
    guard !changes.gone.isEmpty, changes.gone.count == expected else { return false }
    return try !finder.mailboxes.contains { record in
      guard let id = record.id, changes.looked.contains(id), changes.expected[id] == nil
      else { return false }
      return try finder.state.holdsFiles(id)
    }
  }

  private func compare(
    _ record: MailboxRecord, _ id: Int64, _ path: FolderPath, _ scan: PushScan?,
    _ changes: inout TreeChanges
  ) throws -> FolderFindings? {
    do {
      let folder = try MaildirFolder.open(path, in: finder.tree)
      if try finder.isPassedOver(folder, scan, now: now) {
        changes.looked.insert(id)
        return nil
      }
      // The clock for files runs in steps, and coarse file systems round down.
      let looked = (scan?.scanned ?? 0) - 2_500_000_000
      var comparison = FolderComparison(
        policy: finder.policy, state: finder.state, record: record, mailbox: id, folder: folder,
        lookedUntil: finder.comparesAll ? 0 : looked, holdsDrafts: drafts.contains(id))
      return try comparison.compare(now: now)
    } catch is FolderComparison.Raced where skipsRaced {
      changes.isRaced = true
      return nil
    } catch let error as MaildirError where !error.stopsRun {
      changes.unreadFolders.append(path.text)
      return nil
    }
  }

  private func read(_ found: FolderFindings, _ changes: inout TreeChanges) throws
    -> [UnknownFile]
  {
    guard !found.unknown.isEmpty else { return [] }
    let folder = try MaildirFolder.open(found.folder, in: finder.tree)
    return try found.unknown.compactMap { file in
      try finder.checkInterrupt()
      return try read(file, in: folder, mailbox: found.mailbox, &changes)
    }
  }

  /// Nil for what is no file, cannot be read, or went away.
  func read(
    _ file: MessageFile, in folder: MaildirFolder, mailbox: Int64?, _ changes: inout TreeChanges
  ) throws -> UnknownFile? {
    do throws(MaildirError) {
      return try UnknownFile.read(file, in: folder, mailbox: mailbox, policy: finder.policy)
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

  /// The directory is not there: its messages are missing, unless it is an empty mount point.
  private func note(
    absent record: MailboxRecord, _ id: Int64, _ path: FolderPath, _ changes: inout TreeChanges,
    _ missing: inout [MissingMessage], _ bare: inout [MailboxRecord]
  ) throws {
    let holdsFiles = try finder.state.holdsFiles(id)
    if try holdsFiles && finder.tree.isBare(path) {
      bare.append(record)
      return
    }
    if try holdsFiles && isOutOfReach(path) {
      changes.unreadFolders.append(path.text)
      return
    }
    changes.looked.insert(id)
    guard holdsFiles else { return }
    changes.goneFolders.append(id)
    let held = try messages(of: id)
    changes.expected[id] = held.count
    missing += held
  }

  func messages(of mailbox: Int64) throws -> [MissingMessage] {
    var held: [MissingMessage] = []
    try finder.state.forEachMessage(in: mailbox) { message in
      guard !message.isPruned, !message.traits.contains(.expunged) else { return }
      held.append(MissingMessage(mailbox: mailbox, record: message))
    }
    return held
  }

  /// Something lies at a folder's place that is passed over, or is no whole folder: what was in it may be there still. A
  /// link to another mailbox's folder is no place of its own.
  private func isOutOfReach(_ path: FolderPath) throws -> Bool {
    if try finder.tree.isBroken(path) { return true }
    guard try MaildirFolder.exists(path, in: finder.tree) else { return false }
    return try !folders.contains { try finder.tree.isOne($0, path) }
  }

  private func noteIdentity(
    _ found: FolderFindings, _ known: Int64?, _ changes: inout TreeChanges
  ) {
    guard let identity = found.identity, identity.rawValue != known else { return }
    changes.newIdentities[found.mailbox] = identity
    let record = finder.mailboxes.first { $0.id == found.mailbox }
    if known != nil || found.stamp.map({ record?.hasOtherInodes(than: $0) == true }) == true {
      changes.replacedFolders.insert(found.mailbox)
    }
  }

  private func noteScan(_ found: FolderFindings, _ changes: inout TreeChanges) {
    guard found.isQuiet, let stamp = found.stamp else { return }
    // It was taken behind `now`, and before anything was read.
    let isSettled = stamp.showsChanges(after: now)
    changes.scans.append(
      PushScan(
        mailbox: found.mailbox, newModified: isSettled ? stamp.newModified : 0,
        curModified: isSettled ? stamp.curModified : 0, newInode: stamp.newInode,
        curInode: stamp.curInode, scanned: found.began, compared: now / 1_000_000_000))
  }
}
