import Ledger
import LocalChanges
import MailCore
import Maildir
import State

/// What lies here and may be a message that the mailbox has: orphaned records, files that no record tells of, and files
/// of other folders whose names say that they were born here.
struct UnknownFiles {
  let mailbox: PulledMailbox
  /// Messages that are not here: a name hints at one of these, or at none.
  let missing: UIDSet

  struct Found {
    var matcher = FileMatcher()
    /// What the folder was like, if it was looked through and held no file without a record.
    var wholeStamp: FolderStamp?
    /// While the tree is matched anew: messages that no file of this folder hints at, and one of another folder does, which
    /// may be that one's mailbox's as well.
    var strays: [UID: [StrayFile]] = [:]
  }

  func candidates() throws -> Found {
    let context = mailbox.context
    var found = Found()
    for orphan in try mailbox.state.orphans(in: mailbox.id) { found.matcher.add(orphan: orphan) }
    let local = try mailbox.local
    if try mailbox.mayHoldUnknownFiles() {
      let scan = try local.scanned()
      if mailbox.record.needsAdoption { found.matcher.reserve(scan.count) }
      var isWhole = !scan.isRaced
      try forEachFile(of: local) {
        isWhole = false
        try add($0, in: nil, to: &found.matcher)
      }
      if isWhole { found.wholeStamp = scan.stamp }
    }
    let elsewhere = try context.elsewhere.born(
      mailbox.name, mailbox.record.uidValidity, except: local.path
    ).map { StrayFile(file: $0.0, folder: $0.1) }
    if context.elsewhere.isAdopting {
      found.strays = strays(among: elsewhere, hintedHere: found.matcher.hinted)
    } else {
      try add(elsewhere, to: &found.matcher)
    }
    // With a quarter of a million files, a scan beside the candidates is memory for nothing.
    if found.matcher.count > 1000 { local.forgetScan() }
    return found
  }

  private func strays(among elsewhere: [StrayFile], hintedHere: UIDSet) -> [UID: [StrayFile]] {
    var strays: [UID: [StrayFile]] = [:]
    for stray in elsewhere {
      if let uid = hint(of: stray.file), !hintedHere.contains(uid) {
        strays[uid, default: []].append(stray)
      }
    }
    return strays
  }

  /// One set of open directories for each folder, however many files lie there.
  func add(_ strays: [StrayFile], to found: inout FileMatcher) throws {
    let context = mailbox.context
    let home = try mailbox.local.path
    for stray in strays where stray.folder == home { try add(stray.file, in: nil, to: &found) }
    var folders: [FolderPath: LocalFolder] = [:]
    for stray in strays where stray.folder != home {
      let folder =
        try folders[stray.folder]
        ?? context.folders.local(MaildirFolder.open(stray.folder, in: context.tree))
      folders[stray.folder] = folder
      try add(stray.file, in: folder, to: &found)
    }
  }

  /// A name that says a message which is not still to come hints at none. An edited draft keeps the name that it was born
  /// with, and has another UID on the server.
  private func hint(of file: MessageFile) -> UID? {
    mailbox.record.uid(bornAs: file.base).flatMap { missing.contains($0) ? $0 : nil }
  }

  private func forEachFile(of local: LocalFolder, _ body: (MessageFile) throws -> Void) throws {
    if try local.scanned().count == 0 { return }
    var known: [NameHash] = []
    try mailbox.state.forEachName(in: mailbox.id) { _, name in known.append(NameHash(of: name)) }
    known.sortAscending()
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
    let hint = hint(of: file)
    // Elsewhere a file is only ever the message that its name says.
    if folder != nil, hint == nil { return }
    guard let header = try (folder ?? mailbox.local).header(of: file) else {
      if folder == nil { found.add(unread: file) }
      return
    }
    let isBornElsewhere =
      hint == nil && BirthName(base: file.base)?.isBorn(in: mailbox.name) == false
    found.add(
      file, in: folder, headerHash: mailbox.policy.headerHash(of: header), hint: hint,
      isStray: folder == nil && isBornElsewhere)
  }
}

extension MaildirPolicy {
  /// - Parameter header: with the server's line ends or with this tree's.
  func headerHash(of header: [UInt8]) -> HeaderHash {
    header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: keywords.line?.name).headerHash
    }
  }
}
