import Foundation
import MailCore
import Maildir
import Settings
import State

extension AccountRun {
  /// Reads the state and scans the tree; waits for no run and changes nothing.
  package func status() async -> AccountStatus {
    await onOwnThread {
      var status = AccountStatus(account: account.name)
      do {
        try StatusReading(account: account, root: root).fill(&status)
      } catch {
        status.problems.append(RunProblem(error))
      }
      return status
    }
  }
}

/// Derives an account's status from what is on disk.
struct StatusReading {
  let account: AccountSettings
  let root: String

  func fill(_ status: inout AccountStatus) throws {
    let path = root + "/" + account.name
    guard FileManager.default.fileExists(atPath: path + "/.mirror/state.db") else { return }
    let tree = try AccountTree.openExisting(path: path)
    let store = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { store.shut() }
    if let run = try store.lastRun() { status.lastRun = Self.lastRun(run, tree: path) }
    let records = try store.mailboxes()
    let failures = try store.failures()
    var missing: [UInt64: Int] = [:]
    var unknown: [UInt64] = []
    for record in records {
      guard let id = record.id else { continue }
      var scanned = MailboxStatusReading(record: record, policy: MaildirPolicy(account.sync))
      try scanned.read(store, tree)
      let failed = failures.filter { $0.mailbox == id }
      status.mailboxes.append(
        AccountStatus.Mailbox(
          name: record.name, messages: scanned.messages, unread: scanned.unread,
          problems: failed.count))
      status.pending.flags += scanned.flags
      status.pending.keywords += scanned.keywords
      for hash in scanned.missing { missing[hash, default: 0] += 1 }
      unknown += scanned.unknown
      status.problems += failed.map { problem($0, record) }
    }
    for hash in unknown {
      if let count = missing[hash], count > 0 {
        missing[hash] = count - 1
        status.pending.moves += 1
      } else {
        status.pending.uploads += 1
      }
    }
    status.pending.deletions = missing.values.reduce(0, +)
  }

  private func problem(_ failure: FailureRecord, _ record: MailboxRecord) -> RunProblem {
    RunProblem(
      mailbox: record.name, uid: failure.uid == 0 ? nil : failure.uid,
      problem: failure.uid == 0
        ? failure.reason
        : "Message \(failure.uid) could not be pulled in \(failure.attempts) attempts: \(failure.reason).",
      remedy: "It is tried again on every run.")
  }

  /// A run that changed nothing leaves no record (promise 10), only the time at which it took the lock.
  private static func lastRun(_ run: RunRecord, tree: String) -> AccountStatus.LastRun {
    let facts = try? FileManager.default.attributesOfItem(atPath: tree + "/.mirror/lock")
    let locked = facts?[.modificationDate] as? Date ?? .distantPast
    let ended = Date(timeIntervalSince1970: Double(run.ended))
    if locked > ended + 1 {
      return AccountStatus.LastRun(started: locked, ended: locked, exitStatus: 0, summary: nil)
    }
    return AccountStatus.LastRun(
      started: Date(timeIntervalSince1970: Double(run.started)), ended: ended,
      exitStatus: run.exitStatus,
      summary: try? JSONDecoder().decode(PullSummary.self, from: Data(run.summary.utf8)))
  }
}

/// One folder held against its records.
struct MailboxStatusReading {
  let record: MailboxRecord
  let policy: MaildirPolicy
  private(set) var messages = 0
  private(set) var unread = 0
  private(set) var flags = 0
  private(set) var keywords = 0
  /// Base names by hash: with a record and no file here; with a file and no record.
  private(set) var missing: [UInt64] = []
  private(set) var unknown: [UInt64] = []

  init(record: MailboxRecord, policy: MaildirPolicy) {
    self.record = record
    self.policy = policy
  }

  mutating func read(_ store: StateStore, _ tree: AccountTree) throws {
    guard let id = record.id, let path = FolderPath(text: record.folder),
      try MaildirFolder.exists(path, in: tree)
    else { return }
    let folder = try MaildirFolder.open(path, in: tree)
    let scan = try FolderScan.read(folder)
    var known: [UInt64] = []
    try store.forEachMessage(in: id) { message in
      guard !message.isPruned, !message.traits.contains(.expunged) else { return }
      let hash = XXH3.hash(message.name)
      known.append(hash)
      guard let found = scan.find(hash: hash) else { return missing.append(hash) }
      messages += 1
      if !found.flags.contains(.seen) { unread += 1 }
      if found.flags != message.agreed.flags { flags += 1 }
      try compareKeywords(message, found.file(base: message.name), folder)
    }
    known.sort()
    let repeated = Set(try store.surplus(in: id).map(\.nameHash))
    try FolderScan.unknown(in: folder, known: known) { file in
      messages += 1
      if !repeated.contains(file.baseHash) { unknown.append(file.baseHash) }
    }
  }

  /// The size tells whether the keywords line can have changed; only then is the file read.
  private mutating func compareKeywords(
    _ message: MessageRecord, _ file: MessageFile, _ folder: MaildirFolder
  ) throws {
    guard policy.keywords.keeps else { return }
    do throws(MaildirError) {
      if policy.keywords != .dovecot, Int64(try folder.facts(file).size) == message.size { return }
      let local = try folder.localKeywords(of: file, policy: policy)
      if local.set(beyond: message.nativeLabels) != message.agreed.keywords { keywords += 1 }
    } catch {
      if error.stopsRun { throw error }  // else: renamed meanwhile, counted next time
    }
  }
}
