import Ledger
import MailCore
import Maildir
import State

/// Finds recorded files again that a command gave another keywords line, and so the next ``RewrittenName``.
///
/// The new name is stored here, before a pull looks for files: without a record the file would be taken for
/// another message's, or for one that the server never had.
package struct RewrittenFiles {
  let local: LocalFolder
  let state: StateStore
  let mailbox: MailboxKey

  package init(local: LocalFolder, state: StateStore, mailbox: MailboxKey) {
    self.local = local
    self.state = state
    self.mailbox = mailbox
  }

  /// The records whose file has a new name, with that name. Size and marks stay as they were agreed: what a person
  /// changed still waits for a push.
  package func records() throws -> [MessageRecord] {
    let (missing, known) = try recordsWithoutFile()
    guard !missing.isEmpty else { return [] }
    var found: [[UInt8]: [MessageFile]] = [:]
    try FolderScan.unknown(in: local.folder, known: known) { file in
      let name = RewrittenName(file.base)
      if name.count > 0, missing[name.stem] != nil { found[name.stem, default: []].append(file) }
    }
    var renamed: [MessageRecord] = []
    for (stem, files) in found {
      let waiting = try (missing[stem] ?? []).compactMap {
        try state.message(in: mailbox, $0)
      }
      renamed += try pairs(of: waiting.filter { !$0.isPruned }, with: candidates(files))
    }
    return renamed
  }

  /// By the stem of their name, and the hashes of all recorded names, ascending.
  private func recordsWithoutFile() throws -> ([[UInt8]: [UID]], known: [NameHash]) {
    let scan = try local.scanned()
    var missing: [[UInt8]: [UID]] = [:]
    var known: [NameHash] = []
    try state.forEachName(in: mailbox) { uid, name in
      let hash = NameHash(of: name)
      known.append(hash)
      guard let uid, !scan.contains(hash: hash) else { return }
      missing[RewrittenName(Array(name)).stem, default: []].append(uid)
    }
    known.sortAscending()
    return (missing, known)
  }

  private struct Candidate {
    var file: MessageFile
    var digest: MessageDigest
    var contentHash: ContentHash { digest.contentHash }
  }

  private func candidates(_ files: [MessageFile]) throws -> [Candidate] {
    var candidates: [Candidate] = []
    for file in files {
      do throws(MaildirError) {
        let digest = try local.folder.digest(of: file, policy: local.policy)
        candidates.append(Candidate(file: file, digest: digest))
      } catch {
        if error.stopsRun { throw error }
      }
    }
    return candidates
  }

  /// All that have their message's content come first; what is left was edited as well, and is no other message's.
  private func pairs(of records: [MessageRecord], with files: [Candidate]) throws
    -> [MessageRecord]
  {
    var left = files
    var renamed: [MessageRecord] = []
    var waiting: [MessageRecord] = []
    for record in records {
      let place = left.firstIndex {
        record.isHeld(by: $0.digest) && isLater($0.file, than: record)
      }
      guard let place else {
        waiting.append(record)
        continue
      }
      renamed.append(record.renamed(left.remove(at: place).file))
    }
    guard !waiting.isEmpty, !left.isEmpty else { return renamed }
    let others = try state.contents(in: mailbox, among: Set(left.map(\.contentHash)))
    for record in waiting {
      let place = left.firstIndex {
        isLater($0.file, than: record) && others[$0.contentHash] == nil
      }
      if let place { renamed.append(record.renamed(left.remove(at: place).file)) }
    }
    return renamed
  }

  private func isLater(_ file: MessageFile, than record: MessageRecord) -> Bool {
    RewrittenName(record.name).isEarlier(than: file.base)
  }
}

extension MessageRecord {
  fileprivate func renamed(_ file: MessageFile) -> Self {
    var record = self
    record.name = file.base
    return record
  }
}
