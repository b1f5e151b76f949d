import MailCore
import Maildir
import State

/// Finds recorded files again that a command gave another keywords line, and so the next ``RewrittenName``.
///
/// The state learns of that name here, before a pull looks for files: without a record the file would be taken for
/// another message's, or for one that the server never had.
struct RewrittenFiles {
  let local: LocalFolder
  let state: StateStore
  let mailbox: Int64

  /// The records whose file has a new name, with that name. Size and marks stay as they were agreed: what a person
  /// changed still waits for a push.
  func records() throws -> [MessageRecord] {
    let (missing, known) = try recordsWithoutFile()
    guard !missing.isEmpty else { return [] }
    var found: [[UInt8]: [MessageFile]] = [:]
    try FolderScan.unknown(in: local.folder, known: known) { file in
      let name = RewrittenName(file.base)
      if name.count > 0, missing[name.stem] != nil { found[name.stem, default: []].append(file) }
    }
    var renamed: [MessageRecord] = []
    for (stem, files) in found {
      var left = files
      for uid in missing[stem] ?? [] {
        guard var record = try state.message(in: mailbox, uid), !record.isPruned,
          let place = try place(of: record, in: left)
        else { continue }
        record.name = left.remove(at: place).base
        renamed.append(record)
      }
    }
    return renamed
  }

  /// By the stem of their name, and the hashes of all recorded names, ascending.
  private func recordsWithoutFile() throws -> ([[UInt8]: [UID]], known: [UInt64]) {
    let scan = try local.scanned()
    var missing: [[UInt8]: [UID]] = [:]
    var known: [UInt64] = []
    try state.forEachName(in: mailbox) { uid, name in
      let hash = XXH3.hash(name)
      known.append(hash)
      guard !scan.contains(hash: hash) else { return }
      missing[RewrittenName(Array(name)).stem, default: []].append(uid)
    }
    known.sort()
    return (missing, known)
  }

  /// The file with the message's content; where none has that, one that was edited as well.
  private func place(of record: MessageRecord, in files: [MessageFile]) throws -> Int? {
    let count = RewrittenName(record.name).count
    var edited: Int?
    for (place, file) in files.enumerated() where RewrittenName(file.base).count > count {
      do throws(MaildirError) {
        let digest = try local.folder.digest(of: file, policy: local.policy)
        if digest.contentHash == record.contentHash { return place }
        edited = place
      } catch {
        if error.stopsRun { throw error }
      }
    }
    return edited
  }
}

extension MailboxPull {
  /// A push would find them by itself; a pull that comes first must not mistake them.
  func followRewrites() throws {
    guard case .header = context.policy.keywords, record.uidValidity != 0,
      try mayHoldUnknownFiles()
    else { return }
    let renamed = try RewrittenFiles(local: local, state: context.state, mailbox: mailboxID)
      .records()
    guard !renamed.isEmpty else { return }
    try context.state.transaction { transaction in
      for record in renamed { try transaction.put(record, in: mailboxID) }
    }
    context.noteChange()
  }
}
