import Foundation
import MailCore
import Maildir
import State

/// Scans an account's tree against its state: what a push has to carry out. Changes nothing in either.
struct ChangeFinder {
  let tree: AccountTree
  let policy: MaildirPolicy
  let state: StateStore
  /// Mailboxes to look at: on the server as far as is known, with a folder that the state can be held against.
  let mailboxes: [MailboxRecord]
  /// Also compare every file's size and time where the directory did not change.
  let comparesAll: Bool
  let checkInterrupt: () throws -> Void

  /// In-place edits leave no other trace: a look at every file at least once a day.
  private static let compareEvery: Int64 = 24 * 3600
  private static let tries = 4

  init(
    tree: AccountTree, policy: MaildirPolicy, state: StateStore, mailboxes: [MailboxRecord],
    comparesAll: Bool = false, checkInterrupt: @escaping () throws -> Void = {}
  ) {
    self.tree = tree
    self.policy = policy
    self.state = state
    self.mailboxes = mailboxes
    self.comparesAll = comparesAll
    self.checkInterrupt = checkInterrupt
  }

  /// Repeats a scan that raced with a mail reader. Where readers never rest, what was found stands, and nothing is
  /// concluded from what was not (DESIGN promise 4).
  func find() throws -> LocalChanges {
    var tried = 1
    while true {
      try checkInterrupt()
      let isLast = tried == Self.tries
      do {
        let pass = try ScanPass(self, skipsRaced: isLast)
        var changes = try pass.changes()
        let isRaced = try pass.isRaced(changes)
        if !isRaced { return changes }
        if isLast {
          changes.distrust()
          return changes
        }
      } catch is FolderComparison.Raced where !isLast {
        // again
      }
      usleep(20_000 * UInt32(tried))
      tried += 1
    }
  }

  /// A symbolic link without a target: it did not go away, and holds no message.
  func isDangling(_ file: MessageFile, in folder: MaildirFolder) -> Bool {
    let part = file.subdirectory == .new ? "new" : "cur"
    let path = Array("\(tree.path)/\(folder.path.text)/\(part)/".utf8) + file.name + [0]
    var status = stat()
    return path.withUnsafeBytes { bytes in
      guard let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return false }
      return lstat(start, &status) == 0
    }
  }

  /// Whether the folder is as it was when nothing in it was pending.
  func isPassedOver(_ folder: MaildirFolder, _ scan: PushScan?, now: Int64) throws -> Bool {
    guard !comparesAll, let scan, scan.newModified != 0,
      now / 1_000_000_000 - scan.compared < Self.compareEvery
    else { return false }
    let earlier = FolderStamp(
      newModified: scan.newModified, curModified: scan.curModified, isSettled: true)
    return try folder.stamp().provesUnchanged(since: earlier)
  }
}

/// One look at the whole account.
private struct ScanPass {
  let finder: ChangeFinder
  let skipsRaced: Bool
  private let folders: [FolderPath]
  /// Of every folder, before any was read.
  private let stamps: [FolderPath: FolderStamp]
  private let now: Int64
  private let owners: [FolderPath: MailboxRecord]

  init(_ finder: ChangeFinder, skipsRaced: Bool) throws {
    self.finder = finder
    self.skipsRaced = skipsRaced
    now = Int64(Date().timeIntervalSince1970 * 1e9)
    folders = try finder.tree.folders(finder.policy.layout)
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
    var owners: [FolderPath: MailboxRecord] = [:]
    for record in finder.mailboxes { owners[try record.folderPath()] = record }
    self.owners = owners
  }

  /// Whether any folder changed since the pass began: then a file may have been moved past it.
  func isRaced(_ changes: LocalChanges) throws -> Bool {
    if changes.isRaced { return true }
    guard !changes.gone.isEmpty || !changes.new.isEmpty || !changes.moved.isEmpty else {
      return false
    }
    guard try finder.tree.folders(finder.policy.layout) == folders else { return true }
    for path in folders {
      do throws(MaildirError) {
        let now = try MaildirFolder.open(path, in: finder.tree).stamp()
        guard let before = stamps[path], now.hasSameTimes(as: before) else { return true }
      } catch {
        if error.stopsRun { throw error }
        // One that could never be looked into does not change.
        if stamps[path] != nil { return true }
      }
    }
    return false
  }

  func changes() throws -> LocalChanges {
    var changes = LocalChanges()
    let scans = Dictionary(
      try finder.state.pushScans().map { ($0.mailbox, $0) }, uniquingKeysWith: { $1 })
    var missing: [MissingMessage] = []
    var unknown: [UnknownFile] = []
    let present = Set(folders)
    for record in finder.mailboxes {
      try finder.checkInterrupt()
      guard let id = record.id else { continue }
      let path = try record.folderPath()
      guard present.contains(path) else {
        try note(absent: record, id, path, &changes, &missing)
        continue
      }
      guard let found = try compare(record, id, path, scans[id], &changes) else { continue }
      changes.marks += found.marks
      changes.edited += found.edited
      changes.expected[id] = found.expected
      missing += found.missing.map { MissingMessage(mailbox: id, record: $0) }
      unknown += try read(found, &changes)
      noteScan(found, &changes)
    }
    try match(missing, unknown, &changes)
    return changes
  }

  private func compare(
    _ record: MailboxRecord, _ id: Int64, _ path: FolderPath, _ scan: PushScan?,
    _ changes: inout LocalChanges
  ) throws -> FolderFindings? {
    do {
      let folder = try MaildirFolder.open(path, in: finder.tree)
      if try finder.isPassedOver(folder, scan, now: now) { return nil }
      // The clock for files runs in steps, and coarse file systems round down.
      let looked = (scan?.scanned ?? 0) - 2_500_000_000
      var comparison = FolderComparison(
        policy: finder.policy, state: finder.state, record: record, mailbox: id, folder: folder,
        lookedUntil: finder.comparesAll ? 0 : looked,
        isDangling: { finder.isDangling($0, in: folder) })
      return try comparison.compare(now: now)
    } catch is FolderComparison.Raced where skipsRaced {
      changes.isRaced = true
      return nil
    } catch let error as MaildirError where !error.stopsRun {
      changes.unreadFolders.append(path.text)
      return nil
    }
  }

  private func read(_ found: FolderFindings, _ changes: inout LocalChanges) throws
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
  private func read(
    _ file: MessageFile, in folder: MaildirFolder, mailbox: Int64?, _ changes: inout LocalChanges
  ) throws -> UnknownFile? {
    do throws(MaildirError) {
      return try UnknownFile.read(file, in: folder, mailbox: mailbox, policy: finder.policy)
    } catch {
      if error.stopsRun { throw error }
      if case .vanished = error {
        // A link that leads nowhere is there, and no message.
        if finder.isDangling(file, in: folder) { return nil }
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
    absent record: MailboxRecord, _ id: Int64, _ path: FolderPath, _ changes: inout LocalChanges,
    _ missing: inout [MissingMessage]
  ) throws {
    guard try finder.state.holdsFiles(id) else { return }
    if try finder.tree.isBare(path) {
      changes.unmountedFolders.append(id)
      return
    }
    changes.goneFolders.append(id)
    try finder.state.forEachMessage(in: id) { message in
      guard !message.isPruned, !message.traits.contains(.expunged) else { return }
      changes.expected[id, default: 0] += 1
      missing.append(MissingMessage(mailbox: id, record: message))
    }
  }

  private func noteScan(_ found: FolderFindings, _ changes: inout LocalChanges) {
    guard found.isQuiet, let stamp = found.stamp else { return }
    changes.scans.append(
      PushScan(
        mailbox: found.mailbox, newModified: stamp.isSettled ? stamp.newModified : 0,
        curModified: stamp.isSettled ? stamp.curModified : 0, scanned: found.began,
        compared: now / 1_000_000_000))
  }

  // MARK: Matching

  private func match(
    _ missing: [MissingMessage], _ unknown: [UnknownFile], _ changes: inout LocalChanges
  ) throws {
    let strangers = folders.filter { owners[$0] == nil }
    changes.newFolders = strangers
    var unknown = unknown
    if !missing.isEmpty { unknown += try filesElsewhere(strangers, missing, &changes) }
    let matcher = MoveMatcher(missing: missing, unknown: unknown)
    for move in matcher.matched {
      if move.file.mailbox == move.from {
        changes.renamed.append(move)
      } else {
        changes.moved.append(move)
      }
    }
    changes.gone = matcher.missing
    try findNamesakes(&changes)
    changes.renamedFolders = renamedFolders(changes)
    try sort(matcher.unknown.filter { $0.mailbox != nil }, &changes)
  }

  private func findNamesakes(_ changes: inout LocalChanges) throws {
    guard !changes.gone.isEmpty else { return }
    let names = Set(changes.gone.map { XXH3.hash($0.record.name) })
    for path in folders where stamps[path] != nil {
      try FolderScan.forEachFile(in: try MaildirFolder.open(path, in: finder.tree)) { file in
        let hash = file.baseHash
        if names.contains(hash) { changes.namesakes.insert(hash) }
      }
    }
  }

  /// Files in folders of no mailbox that may be missing messages: by name, else by size, then by content.
  private func filesElsewhere(
    _ strangers: [FolderPath], _ missing: [MissingMessage], _ changes: inout LocalChanges
  ) throws -> [UnknownFile] {
    guard !strangers.isEmpty else { return [] }
    let names = Set(missing.map { XXH3.hash($0.record.name) })
    let sizes = missing.map(\.record.size).sorted()
    var found: [UnknownFile] = []
    for path in strangers {
      guard stamps[path] != nil else {
        changes.unreadFolders.append(path.text)
        continue
      }
      let folder = try MaildirFolder.open(path, in: finder.tree)
      var files: [MessageFile] = []
      try FolderScan.forEachFile(in: folder) { files.append($0) }
      for file in files {
        do throws(MaildirError) {
          if !names.contains(file.baseHash) {
            let size = Int64(try folder.facts(file).size)
            guard Self.isNear(size, sizes) else { continue }
          }
        } catch {
          if error.stopsRun { throw error }
          if case .vanished = error, finder.isDangling(file, in: folder) { continue }
          changes.unreadable.append(path.text + "/" + file.description)
          continue
        }
        if let file = try read(file, in: folder, mailbox: nil, &changes) { found.append(file) }
      }
    }
    return found
  }

  /// Readers add and leave out a few header lines on saving.
  private static func isNear(_ size: Int64, _ sorted: [Int64]) -> Bool {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < size - 4096 { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] <= size + 4096
  }

  /// A mailbox's folder is gone, and most of what was in it lies in one that is no mailbox's: the folder was renamed.
  private func renamedFolders(_ changes: LocalChanges) -> [LocalChanges.RenamedFolder] {
    var renamed: [LocalChanges.RenamedFolder] = []
    for mailbox in changes.goneFolders {
      let expected = changes.expected[mailbox] ?? 0
      var places: [FolderPath: Int] = [:]
      for move in changes.moved
      where move.from == mailbox && move.file.mailbox == nil
        && move.record.name == move.file.file.base
      {
        places[move.file.folder, default: 0] += 1
      }
      guard let best = places.max(by: { ($0.value, $1.key.text) < ($1.value, $0.key.text) }),
        best.value * 2 > expected, !renamed.contains(where: { $0.folder == best.key })
      else { continue }
      renamed.append(LocalChanges.RenamedFolder(mailbox: mailbox, folder: best.key))
    }
    return renamed
  }

  /// New messages, and files that repeat one of their own folder (promise 6).
  private func sort(_ unknown: [UnknownFile], _ changes: inout LocalChanges) throws {
    for (mailbox, files) in Dictionary(grouping: unknown, by: { $0.mailbox ?? 0 }) {
      let hashes = Set(files.map(\.digest.contentHash))
      let held = try finder.state.contents(in: mailbox, among: hashes)
      let gone = Set(
        changes.gone.filter { $0.mailbox == mailbox }.map(\.record.uid)
          + changes.moved.filter { $0.from == mailbox }.map(\.record.uid)
          + changes.edited.filter { $0.mailbox == mailbox }.map(\.record.uid))
      let known = Set(try finder.state.surplus(in: mailbox).map(\.nameHash))
      var fresh = Set<UInt64>()
      for file in files.sorted(by: { $0.file.name.lexicographicallyPrecedes($1.file.name) }) {
        let twins = (held[file.digest.contentHash] ?? []).filter { !gone.contains($0) }
        let isKnown = known.contains(file.file.baseHash)
        if !twins.isEmpty {
          if !isKnown { changes.surplus.append(file) }
        } else if isKnown {
          // What it repeated was expunged by the server: it stays here, and is no new message.
          continue
        } else if fresh.insert(file.digest.contentHash).inserted {
          changes.new.append(file)
        } else {
          changes.twins.append(file)
        }
      }
    }
    changes.new.sort {
      ($0.mailbox ?? 0, $0.modified) < ($1.mailbox ?? 0, $1.modified)
    }
  }
}

extension LocalChanges {
  /// Keeps only what was seen: nothing that follows from a file's absence, and no upload of what may be a move.
  mutating func distrust() {
    isRaced = true
    gone = []
    moved = []
    renamed = []
    renamedFolders = []
    goneFolders = []
    new = []
    twins = []
    scans = []
  }
}
