import Foundation
import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// One look at the whole account.
struct ScanPass {
  private let scope: ScanScope
  private let seen: SeenTree
  private let now: Int64
  private let drafts: Set<MailboxKey>

  init(_ scope: ScanScope, skipsRaced: Bool) throws {
    self.scope = scope
    drafts = FolderRoles(scope.mailboxes).drafts
    now = Int64(Date().timeIntervalSince1970 * 1e9)
    seen = try SeenTree(scope, skipsRaced: skipsRaced)
  }

  /// Whether any folder changed since the pass began: then a file may have been moved past it.
  func isRaced(_ changes: TreeChanges) throws -> Bool {
    if changes.isRaced { return true }
    guard !changes.gone.isEmpty || !changes.new.isEmpty || !changes.moved.isEmpty else {
      return false
    }
    return try seen.hasChanged()
  }

  func changes() throws -> TreeChanges {
    var changes = TreeChanges()
    changes.unreadFolders = seen.unread.map(\.text)
    changes.unnamedFolders = seen.unnamed
    let scans = Dictionary(
      try scope.state.pushScans().map { ($0.mailbox, $0) }, uniquingKeysWith: { $1 })
    let identities = try scope.state.folderIdentities()
    var missing: [MissingMessage] = []
    var unknown: [UnknownFile] = []
    var bare: [MailboxRecord] = []
    let present = Set(seen.folders)
    for record in scope.mailboxes {
      try scope.checkInterrupt()
      let id = record.id
      let path = record.folder
      if seen.unread.contains(where: path.isInside) { continue }
      guard present.contains(path) else {
        try add(absent: record, id, path, &changes, &missing, &bare)
        continue
      }
      guard let found = try compare(record, id, path, scans[id], &changes) else { continue }
      changes.marks += found.marks
      changes.edited += found.edited
      changes.renamed += found.otherForms
      changes.looked.insert(id)
      changes.expected[id] = found.expected
      missing += found.missing.map { MissingMessage(mailbox: id, record: $0) }
      unknown += try read(found, &changes)
      addIdentity(found, identities[id], &changes)
      addScan(found, scans[id], &changes)
    }
    if !bare.isEmpty { try BareFolders(seen: seen).sort(bare, &missing, &unknown, &changes) }
    try FileMatching(seen: seen).match(missing, unknown, &changes)
    changes.isEmptied = try isEmptied(changes)
    return changes
  }

  /// Folders that were passed over are as they were; of those that could not be looked into nothing is known.
  private func isEmptied(_ changes: TreeChanges) throws -> Bool {
    let expected = changes.expected.values.reduce(0, +)
    guard !changes.gone.isEmpty, changes.gone.count == expected else { return false }
    return try !scope.mailboxes.contains { record in
      let id = record.id
      guard changes.looked.contains(id), changes.expected[id] == nil
      else { return false }
      return try scope.state.holdsFiles(id)
    }
  }

  private func compare(
    _ record: MailboxRecord, _ id: MailboxKey, _ path: FolderPath, _ scan: PushScan?,
    _ changes: inout TreeChanges
  ) throws -> FolderFindings? {
    do {
      let folder = try MaildirFolder.open(path, in: scope.tree)
      if try scope.isPassedOver(folder, scan, now: now) {
        changes.looked.insert(id)
        return nil
      }
      // The clock for files runs in steps, and coarse file systems round down.
      let looked = (scan?.scanned ?? 0) - 2_500_000_000
      var comparison = FolderComparison(
        policy: scope.policy, state: scope.state, record: record, mailbox: id, folder: folder,
        lookedUntil: scope.comparesAll ? 0 : looked, holdsDrafts: drafts.contains(id))
      return try comparison.compare(now: now)
    } catch is FolderComparison.Raced where seen.skipsRaced {
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
    let folder = try MaildirFolder.open(found.folder, in: scope.tree)
    return try found.unknown.compactMap { file in
      try scope.checkInterrupt()
      return try seen.read(file, in: folder, mailbox: found.mailbox, &changes)
    }
  }

  /// The directory is not there: its messages are missing, unless it is an empty mount point.
  private func add(
    absent record: MailboxRecord, _ id: MailboxKey, _ path: FolderPath,
    _ changes: inout TreeChanges,
    _ missing: inout [MissingMessage], _ bare: inout [MailboxRecord]
  ) throws {
    let holdsFiles = try scope.state.holdsFiles(id)
    if try holdsFiles && scope.tree.isBare(path) {
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
    let held = try seen.messages(of: id)
    changes.expected[id] = held.count
    missing += held
  }

  /// Something lies at a folder's place that is passed over, or is no whole folder: what was in it may be there still. A
  /// link to another mailbox's folder is no place of its own.
  private func isOutOfReach(_ path: FolderPath) throws -> Bool {
    if try scope.tree.isBroken(path) { return true }
    guard try MaildirFolder.exists(path, in: scope.tree) else { return false }
    return try !seen.folders.contains { try scope.tree.isOne($0, path) }
  }

  private func addIdentity(
    _ found: FolderFindings, _ known: Int64?, _ changes: inout TreeChanges
  ) {
    guard let identity = found.identity, identity.rawValue != known else { return }
    changes.newIdentities[found.mailbox] = identity
    let record = scope.mailboxes.first { $0.id == found.mailbox }
    if known != nil || found.stamp.map({ record?.hasOtherInodes(than: $0) == true }) == true {
      changes.replacedFolders.insert(found.mailbox)
    }
  }

  private func addScan(
    _ found: FolderFindings, _ earlier: PushScan?, _ changes: inout TreeChanges
  ) {
    guard let stamp = found.stamp else { return }
    guard found.isQuiet else {
      if let earlier, earlier.newModified != 0, stamp.provesUnchanged(since: FolderStamp(earlier)) {
        changes.outdatedScans.insert(found.mailbox)
      }
      return
    }
    // It was read after `now`, and before anything else was read.
    let isSettled = stamp.showsChanges(after: now)
    changes.scans.append(
      PushScan(
        mailbox: found.mailbox, newModified: isSettled ? stamp.newModified : 0,
        curModified: isSettled ? stamp.curModified : 0, newInode: stamp.newInode,
        curInode: stamp.curInode, scanned: found.began, compared: now / 1_000_000_000))
  }
}
