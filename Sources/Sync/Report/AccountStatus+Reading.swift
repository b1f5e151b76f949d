import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

extension AccountRun {
  /// Reads the state and scans the tree; waits for no run and changes nothing.
  package func status() async -> AccountStatus {
    await onOwnThread {
      var status = AccountStatus(account: account.name)
      do {
        try StatusReading(account: account, root: root, environment: environment).fill(&status)
      } catch {
        let problem = RunProblem(error)
        status.problems.append(problem)
        status.isUnread = status.history == nil
        status.hindrances.append(String(problem.problem.prefix { $0 != "." }))
      }
      status.lastVerify = witness.lastVerify
      return status
    }
  }
}

/// Derives an account's status from what is on disk.
struct StatusReading {
  let account: AccountSettings
  let root: String
  let environment: [String: String]

  func fill(_ status: inout AccountStatus) throws {
    let path = root + "/" + account.name
    guard FileManager.default.fileExists(atPath: path + "/.mirror/state.db") else {
      let witness = TreeWitness(accountPath: path, environment: environment)
      try witness.checkMount(path: path, root: root)
      try witness.checkTree(path: path)
      status.hindrances.append("it was never pulled")
      return
    }
    let tree = try AccountTree.openExisting(path: path)
    let store = try StateStore(path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { store.shut() }
    status.lastRun = try Self.lastRun(store.lastRun(), tree)
    let records = try store.mailboxes()
    let failures = try store.failures()
    for record in records {
      let isMirrored = !record.isGone && !record.keepsNothing
      let id = record.id
      guard try isMirrored || record.hasFolder(in: tree) else { continue }
      var scanned = MailboxStatusReading(record: record)
      try scanned.read(tree, hidden: store.surplusOutOfView(in: id))
      let failed = failures.filter { $0.mailbox == id }
      status.mailboxes.append(
        AccountStatus.Mailbox(
          name: record.name, messages: scanned.messages, unread: scanned.unread,
          problems: failed.reduce(0) { $0 + 1 + $1.others }))
      status.problems += failed.map { problem($0, record) }
      status.problems += try unsent(record, store, id, scanned)
      let differing = try store.uids(.differing, in: id).count
      if differing > 0 { status.problems.append(Self.differing(differing, record)) }
    }
    try ReadinessReading(store: store, tree: tree, folders: account.sync.folders)
      .fill(&status, records, failures)
    // What failed before it had a record, such as a mailbox without a place for its folder.
    let told = Set(status.problems.compactMap(\.mailbox))
    status.problems += (status.lastRun?.summary?.problems ?? []).filter { problem in
      problem.exitStatus != 0 && problem.mailbox.map { !told.contains($0) } ?? false
        && !records.contains { $0.name == problem.mailbox }
    }
    status.problems += try SyncError.outOfView(in: store, folders: account.sync.folders).map {
      RunProblem($0.error, mailbox: $0.mailbox.name)
    }
    let counts = try store.onDemandCounts()
    if counts.stubs > 0 || counts.wanted > 0 {
      status.onDemand = AccountStatus.OnDemand(
        stubs: counts.stubs, bytes: counts.bytes, waiting: counts.wanted,
        waitingBytes: counts.wantedBytes)
    }
    try fillPending(&status, tree, store)
  }

  /// What a push would do.
  private func fillPending(_ status: inout AccountStatus, _ tree: AccountTree, _ store: StateStore)
    throws
  {
    let opening = StateOpening(
      tree: tree,
      witness: TreeWitness(accountPath: root + "/" + account.name, environment: environment),
      durable: false)
    if try opening.needsMatching(store) { throw PushError.needsPull }
    let survey = try PushSurvey(
      account: account, tree: tree, state: store, policy: MaildirPolicy(account.sync),
      options: PushOptions(), foresees: true, environment: environment)
    let plan = survey.plan
    for change in plan.marks {
      let delta = MarkDelta(change)
      if delta.added.flags != delta.removed.flags { status.pending.flags += 1 }
      if !delta.isOfFlagsOnly { status.pending.keywords += 1 }
    }
    status.pending.moves = plan.moves.count
    status.pending.copies = plan.uploads.count { $0.source != nil }
    status.pending.uploads = plan.uploads.count - status.pending.copies
    status.pending.creations = survey.actions.count { $0.kind == .create }
    status.pending.renames = survey.actions.count { $0.kind == .rename }
    status.pending.edits = plan.edits.count
    status.pending.deletions =
      plan.deletions.count + plan.held.reduce(0) { $0 + $1.count }
    if plan.waiting.contains(where: { $0.reason == .setAside }) {
      status.hindrances.append("`mirror revert` was interrupted")
    }
    status.push = survey.actions
    status.problems += try survey.leftOut(account, tree, store, comparesAll: false).problems()
    status.problems += survey.problems + survey.refusedUploads(try store.pushRefusals())
    status.problems += survey.refusedChanges(try store.pushRefusals())
  }

  /// A person may have edited them before a state was lost, or the tree came here.
  private static func differing(_ count: Int, _ record: MailboxRecord) -> RunProblem {
    RunProblem(
      mailbox: record.name,
      problem: (count == 1 ? "1 message here was" : "\(count) messages here were")
        + " known by the header when a state was missing, and "
        + (count == 1 ? "holds" : "hold")
        + " something else than the server's: no push sends that.",
      remedy:
        "`mirror verify` names the file. Move it out of the tree, and `mirror revert` brings the server's message.",
      exitStatus: .done)
  }

  /// Files that no push sends, and that the server may have.
  private func unsent(
    _ record: MailboxRecord, _ store: StateStore, _ id: MailboxKey, _ scanned: MailboxStatusReading
  ) throws -> [RunProblem] {
    let undecided = try store.undecidedFiles(in: id).count
    return [
      (scanned.notShown, PullNotice.notShown), (undecided, PullNotice.undecidedFiles),
    ].compactMap { count, notice in
      count > 0 && !record.isGone ? RunProblem(notice(count), mailbox: record.name) : nil
    }
  }

  private func problem(_ failure: FailureRecord, _ record: MailboxRecord) -> RunProblem {
    RunProblem(
      mailbox: record.name, uid: failure.uid,
      problem: failure.uid.map {
        "\(subject(failure, $0)) could not be pulled in "
          + "\(Quantities.count(failure.attempts, "attempt")): \(failure.reason)."
      } ?? failure.reason,
      remedy: failure.others == 0
        ? "It is tried again on every run." : "They are tried again on every run.")
  }

  private func subject(_ failure: FailureRecord, _ uid: UInt32) -> String {
    failure.others == 0
      ? "Message \(uid)"
      : "Message \(uid) and \(Quantities.count(failure.others, "other"))"
  }

  /// The last run that changed something has a record; what came behind it, only the lock's words (promise 10).
  static func lastRun(_ run: RunRecord?, _ tree: AccountTree) throws -> AccountStatus.LastRun? {
    let recorded = run.map { run in
      AccountStatus.LastRun(
        started: Date(timeIntervalSince1970: Double(run.started)),
        ended: Date(timeIntervalSince1970: Double(run.ended)), exitStatus: run.exitStatus,
        summary: try? JSONDecoder().decode(PullSummary.self, from: Data(run.summary.utf8)))
    }
    guard let (words, written) = try tree.lastHolder(),
      let began = try? Date(words.since, strategy: .iso8601),
      words.isBehind(run, began: Int64(began.timeIntervalSince1970))
    else { return recorded }
    guard let exitStatus = words.exitStatus else {
      // Under way, or killed.
      if words.isAlive { return recorded }
      return AccountStatus.LastRun(
        started: began, ended: nil, exitStatus: ExitStatus.interrupted.rawValue, summary: nil)
    }
    return AccountStatus.LastRun(
      started: began, ended: Date(timeIntervalSince1970: Double(written) / 1e9),
      exitStatus: exitStatus, summary: nil)
  }
}

extension RunLockWords {
  /// Whether they are a run's, and not of the one that left the record, or of one before it.
  fileprivate func isBehind(_ run: RunRecord?, began: Int64) -> Bool {
    guard let kind = RunKind(program: program) else { return false }
    guard let run else { return true }
    return began > run.started || began == run.started && kind.rawValue != run.kind
  }
}

/// One folder's messages, counted.
struct MailboxStatusReading {
  let record: MailboxRecord
  private(set) var messages = 0
  private(set) var unread = 0
  private(set) var notShown = 0

  init(record: MailboxRecord) { self.record = record }

  /// - Parameter hidden: by the hashes of their names, files of messages that the server may only not show.
  mutating func read(_ tree: AccountTree, hidden: Set<NameHash>) throws {
    guard try record.hasFolder(in: tree) else { return }
    let folder = try MaildirFolder.open(record.folder, in: tree)
    let scan = try FolderScan.read(folder)
    messages = scan.count
    let held = RecordedFiles(
      hidden.lazy.map { UndecidedFile(SurplusFile(nameHash: $0, contentHash: .unknown), .here) })
    notShown = try held.files(in: folder).count
    for index in 0..<scan.count where !scan.found(scan[index]).flags.contains(.seen) { unread += 1 }
  }
}
