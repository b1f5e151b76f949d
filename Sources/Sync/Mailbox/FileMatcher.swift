import MailCore
import Maildir
import State

/// Files and orphaned records that may already be what the server has, by the hash of their header (promise 6).
///
/// A name is only a hint: it decides between equals, and where all files carry one, it narrows what must be asked for.
struct FileMatcher {
  enum Match {
    /// A file that no record tells of, and the folder it lies in.
    case file(MessageFile, LocalFolder)
    /// A record from before UIDVALIDITY changed.
    case orphan(StateStore.Orphan)
  }

  private struct Candidate {
    var match: Match
    var hint: UID?
    /// A file that lies elsewhere is only ever the message that its name says.
    var isOnlyHinted = false
  }

  private var candidates: [UInt64: [Candidate]] = [:]
  private(set) var count = 0
  /// UIDs that names hint at.
  private(set) var hinted = UIDSet()
  private var unhinted = 0

  var isEmpty: Bool { count == 0 }
  /// Every candidate names its UID: no others need be asked for their header.
  var isFullyHinted: Bool { unhinted == 0 }

  mutating func add(_ match: Match, headerHash: UInt64, hint: UID?, isOnlyHinted: Bool = false) {
    candidates[headerHash, default: []].append(
      Candidate(match: match, hint: hint, isOnlyHinted: isOnlyHinted))
    count += 1
    if let hint { hinted.insert(hint) } else { unhinted += 1 }
  }

  /// Takes the candidate for this message out, if there is one: orphans first, since they know what was agreed, then
  /// the file whose name hints at the UID.
  mutating func take(headerHash: UInt64, uid: UID) -> Match? {
    guard var group = candidates[headerHash], !group.isEmpty else { return nil }
    let choice =
      group.firstIndex { if case .orphan = $0.match { true } else { false } }
      ?? group.firstIndex { $0.hint == uid } ?? group.firstIndex { $0.hint == nil }
      ?? group.firstIndex { !$0.isOnlyHinted }
    guard let choice else { return nil }
    let taken = group.remove(at: choice)
    candidates[headerHash] = group.isEmpty ? nil : group
    count -= 1
    if taken.hint == nil { unhinted -= 1 }
    return taken.match
  }
}

extension MailboxPull {
  /// Looks for files that no record tells of, where there may be any: after a crash, a restore, on first sight of a
  /// folder, or when the directories changed since the last run.
  func prepareMatching() throws {
    guard !remaining.isEmpty else { return }
    var found = FileMatcher()
    for orphan in try context.state.orphans(in: mailboxID) {
      found.add(.orphan(orphan), headerHash: orphan.headerHash, hint: nil)
    }
    if try mayHoldUnknownFiles() {
      for file in try unknownFiles() { try add(file, in: local, to: &found) }
    }
    let home = try local.path
    for (file, path) in context.bornElsewhere(
      record.mailboxName, record.uidValidity, except: home)
    {
      let folder = try MaildirFolder.open(path, in: context.tree)
      let elsewhere = LocalFolder(folder: folder, policy: context.policy)
      try add(file, in: elsewhere, to: &found, isOnlyHinted: true)
    }
    matcher = found.isEmpty ? nil : found
  }

  private func mayHoldUnknownFiles() throws -> Bool {
    if record.isDirty || record.needsAdoption { return true }
    let stamp = try local.folder.stamp()
    return stamp.newModified != record.newModified || stamp.curModified != record.curModified
  }

  private func unknownFiles() throws -> [MessageFile] {
    if try local.scanned().count == 0 { return [] }
    var known: [UInt64] = []
    try context.state.forEachName(in: mailboxID) { _, name in known.append(XXH3.hash(name)) }
    known.sort()
    var files: [MessageFile] = []
    try FolderScan.unknown(in: local.folder, known: known) { files.append($0) }
    return files
  }

  private func add(
    _ file: MessageFile, in folder: LocalFolder, to found: inout FileMatcher,
    isOnlyHinted: Bool = false
  ) throws {
    guard let hash = try headerHash(of: file, in: folder) else { return }
    found.add(
      .file(file, folder), headerHash: hash, hint: hint(of: file),
      isOnlyHinted: isOnlyHinted)
  }

  private func headerHash(of file: MessageFile, in folder: LocalFolder) throws -> UInt64? {
    let header: [UInt8]
    do throws(MaildirError) {
      header = try folder.folder.header(
        of: file, policy: context.policy, limit: MessageSink.longestHeader)
    } catch {
      if error.stopsRun { throw error }
      return nil  // It went away, or cannot be read: nothing to match.
    }
    return header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: context.policy.keywords.line?.name).headerHash
    }
  }

  private func hint(of file: MessageFile) -> UID? {
    guard let birth = BirthName(base: file.base), birth.isBorn(in: record.mailboxName),
      birth.uidValidity.rawValue == record.uidValidity
    else { return nil }
    return birth.uid
  }
}
