import Ledger
import LocalChanges
import MailCore
import Maildir
import State

extension MailboxPull {
  /// Looks for files that no record tells of, where there may be any: after a crash, a restore, on first sight of a
  /// folder, or when the directories changed since the last run.
  func prepareMatching() throws {
    guard !remaining.isEmpty, !hasLookedForFiles else { return }
    hasLookedForFiles = true
    let found = try candidates()
    matcher = found.isEmpty ? nil : found
  }

  func candidates() throws -> FileMatcher {
    var found = FileMatcher()
    for orphan in try context.state.orphans(in: mailboxID) { found.add(orphan: orphan) }
    if try mayHoldUnknownFiles() {
      let scan = try local.scanned()
      if record.needsAdoption { found.reserve(scan.count) }
      var isWhole = !scan.isRaced
      try forEachUnknownFile {
        isWhole = false
        try add($0, in: nil, to: &found)
      }
      wholeStamp = isWhole ? scan.stamp : nil
    }
    let home = try local.path
    // One set of open directories for each folder, however many files lie there.
    var folders: [FolderPath: LocalFolder] = [:]
    for (file, path) in try context.elsewhere.born(
      record.mailboxName, record.uidValidity, except: home)
    {
      let folder =
        try folders[path] ?? context.folders.local(MaildirFolder.open(path, in: context.tree))
      folders[path] = folder
      try add(file, in: folder, to: &found)
    }
    // With a quarter of a million files, a scan beside the candidates is memory that nobody needs.
    if found.count > 1000 { try local.forgetScan() }
    return found
  }

  /// A folder that was once looked through and held no such file, and has not changed since, needs no look. Whatever
  /// changes it, a download of ours too, ends that: a reader may have put a file there at the same time.
  func mayHoldUnknownFiles() throws -> Bool {
    if record.isDirty || record.needsAdoption { return true }
    // A push was interrupted: what it had sent has a file, and no record yet.
    if try context.state.hasPushSteps(to: mailboxID) { return true }
    return try !local.folder.stamp().isOf(record)
  }

  private func forEachUnknownFile(_ body: (MessageFile) throws -> Void) throws {
    if try local.scanned().count == 0 { return }
    var known: [UInt64] = []
    try context.state.forEachName(in: mailboxID) { _, name in known.append(XXH3.hash(name)) }
    known.sort()
    var failure: (any Error)?
    try FolderScan.unknown(in: local.folder, known: known) { file in
      guard failure == nil else { return }
      do { try body(file) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func add(
    _ file: MessageFile, in folder: LocalFolder?, to found: inout FileMatcher
  ) throws {
    let birth = BirthName(base: file.base)
    let hint = hint(birth)
    // Elsewhere a file is only ever the message that its name says.
    if folder != nil, hint == nil { return }
    guard let hash = try headerHash(of: file, in: folder ?? local) else { return }
    found.add(
      file, in: folder, headerHash: hash, hint: hint,
      isStray: folder == nil && birth.map { !$0.isBorn(in: record.mailboxName) } ?? false)
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
    return headerHash(of: header)
  }

  /// - Parameter header: with the server's line ends or with this tree's.
  func headerHash(of header: [UInt8]) -> UInt64 {
    header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: context.policy.keywords.line?.name).headerHash
    }
  }

  /// The message that a name says, if that is still to come: a name that says any other hints at none. An edited draft
  /// keeps the name that it was born with, and has another UID on the server.
  private func hint(_ birth: BirthName?) -> UID? {
    guard let birth, birth.isBorn(in: record.mailboxName),
      birth.uidValidity.rawValue == record.uidValidity, remaining.contains(birth.uid)
    else { return nil }
    return birth.uid
  }
}
