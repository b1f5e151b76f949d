import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// One mailbox's check.
struct MailboxVerification {
  let record: MailboxRecord
  let store: StateStore
  let tree: AccountTree
  let policy: MaildirPolicy
  /// Flags and keywords that the server did not keep: no push sends them, and no person can make it keep them.
  let unkeepable: UnkeepableMarks
  private(set) var checked = 0
  /// Of these, files that lack parts of their messages.
  private(set) var stubs = 0
  private(set) var findings: [RunProblem] = []
  private(set) var content: ContentComparison
  /// Messages whose files have marks that the server cannot keep.
  private var withUnkeepable = 0

  init(
    record: MailboxRecord, store: StateStore, tree: AccountTree, policy: MaildirPolicy,
    unkeepable: UnkeepableMarks, options: VerifyOptions
  ) {
    self.record = record
    self.store = store
    self.tree = tree
    self.policy = policy
    self.unkeepable = unkeepable
    content = ContentComparison(policy: policy, options: options)
  }

  /// - Parameter comparesSizes: the server counts right.
  mutating func verify(_ remote: borrowing OpenMailbox, comparesSizes: Bool) throws {
    let id = record.id
    // What a revert, or a pull of older mail, has still to bring is known, and is not here.
    let known = try store.uids(.known, in: id).subtracting(store.uids(.keptAway, in: id))
    let delta = try remote.delta(
      asking: .everything(marksUpTo: UID(UInt32.max - 1)), marksOf: known,
      wantsSizes: comparesSizes)
    // A push made this mailbox, and put nothing in; or a pull began, and did not get so far.
    guard record.uidValidity != 0 else {
      return find(
        "Not pulled yet.", nil, "Run `mirror pull`.", exit: delta.exists == 0 ? .done : .inPart)
    }
    guard delta.uidValidity.rawValue == record.uidValidity else {
      return find("The server renumbered this mailbox; the next pull matches its messages.")
    }
    let listed = delta.listed ?? UIDSet()
    if listed.count != delta.exists {
      find("The server lists \(listed.count) messages and counts \(delta.exists).")
    }
    for uid in listed.subtracting(known).uids {
      find("On the server, and not here.", uid, "Run `mirror pull`.")
    }
    let outOfView = try store.uids(.outOfView, in: id).subtracting(listed)
    if !outOfView.isEmpty {
      let all = try store.messageCount(.withFiles, in: id)
      findings.append(
        RunProblem(
          SyncError.outOfView(record.mailboxName, count: outOfView.count, of: all),
          mailbox: record.name))
    }
    var absent = known.subtracting(listed).subtracting(outOfView)
    if remote.showsPartOnly { absent = PullPlanner.inView(absent, listed: listed) }
    if remote.mayShowByDay && !absent.isEmpty {
      let old = try ViewGuard.olderByDay(absent) { see in
        try store.forEachMessage(in: id) {
          see(ViewGuard.Known($0, isShown: listed.contains($0.uid)))
        }
      }
      absent = absent.subtracting(old)
    }
    for uid in absent.uids { find("Here, and no longer on the server.", uid) }
    try compareMarks(delta.marks, id)
    content.begin(
      sizes: delta.sizes, shared: try store.uids(.withFiles, in: id).intersection(listed))
    try compareFiles(id)
    tellUnkeepable()
    for finding in try content.finish(remote) {
      find(finding.problem, finding.uid, finding.remedy, exit: finding.exit)
    }
  }

  private mutating func compareMarks(_ marks: MarkTable, _ id: MailboxKey) throws {
    for position in 0..<marks.count {
      let said = marks[position]
      guard let message = try store.message(in: id, said.uid), !message.isPruned else { continue }
      let remote = policy.kept(said.marks)
      if message.remote != remote {
        find(
          "Flags or keywords changed on the server since the last pull.", said.uid,
          "Run `mirror pull`.")
      }
    }
  }

  private mutating func compareFiles(_ id: MailboxKey) throws {
    guard try record.hasFolder(in: tree) else {
      // Removed by a person while nothing was in it: the next message brings it back.
      if try store.holdsFiles(id) { find("Its folder is not here.") }
      return
    }
    let folder = try MaildirFolder.open(record.folder, in: tree)
    let scan = try FolderScan.read(folder)
    for hash in scan.duplicates {
      find("Two files have the base name with the hash \(String(hash.rawValue, radix: 16)).")
    }
    let unrecorded = UnrecordedFiles(
      mailbox: id, folder: folder, scan: scan, store: store, policy: policy)
    for finding in try unrecorded.findings() {
      find(finding.problem, nil, finding.remedy, exit: finding.exit)
    }
    try store.forEachMessage(in: id) { message in
      if message.isPruned || message.traits.contains(.expunged) { return }
      checked += 1
      guard let found = scan.find(base: message.name) else {
        if scan.holdsLink(hash: NameHash(of: message.name)) {
          return find(
            "A symbolic link stands in the place of its file, and is no message.", message.uid,
            "Put the file back; without the link the message counts as deleted.")
        }
        if message.traits.contains(.beingReverted) {
          return find(
            "`mirror revert` was interrupted when it set this message's file aside.", message.uid,
            "Run `mirror pull`: it ends that, and brings the server's message; `mirror undo` has the file."
          )
        }
        find(
          "Its file is not in this folder: moved or deleted here, and not pushed.", message.uid,
          exit: .done)
        return
      }
      if message.unappliedRemote != nil {
        find("The server's flags or keywords are not in its file yet.", message.uid)
      }
      try compare(message, found.file(base: message.name), folder)
    }
  }

  private mutating func compare(
    _ message: MessageRecord, _ file: MessageFile, _ folder: MaildirFolder
  ) throws {
    try compareMarks(message, file, folder)
    do throws(MaildirError) {
      let digest = try folder.digest(
        of: file, asCame: message.traits.contains(.keptAsItCame), policy: policy)
      if message.contentHash == .unknown || message.isHeld(by: digest) {
        if digest.isStub { stubs += 1 }
        if message.isStub, message.traits.isSuperset(of: [.adopted, .differs]) {
          find(
            "Its file (\(file.description.visible)) has but a part of the message, and something besides.",
            message.uid, "`mirror fill` makes it whole, and keeps that beside it.")
        }
        try content.compare(message, file, folder, digest)
      } else {
        find(
          "Its file (\(file.description.visible)) no longer holds what the server sent: edited here, or damaged.",
          message.uid, try remedy(for: file, of: message, in: folder))
      }
    } catch {
      if error.stopsRun { throw error }
      find(error.explanation.problem, message.uid)
    }
  }

  private mutating func compareMarks(
    _ message: MessageRecord, _ file: MessageFile, _ folder: MaildirFolder
  ) throws {
    let agreed = message.agreed
    var local = MessageMarks(flags: file.fileName.flags, keywords: agreed.keywords)
    if policy.keywords.keeps {
      local.keywords = try folder.localKeywords(of: file, policy: policy)
        .set(beyond: message.nativeLabels, agreed: agreed.keywords)
    }
    let changed = MarkDelta(agreed: agreed, local: local)
    let waiting = changed.without(unkeepable)
    if waiting != changed { withUnkeepable += 1 }
    if waiting.added.flags != waiting.removed.flags {
      find("Flags changed here, and not pushed.", message.uid, exit: .done)
    }
    if waiting.added.keywords != waiting.removed.keywords {
      find("Keywords changed here, and not pushed.", message.uid, exit: .done)
    }
  }

  private mutating func tellUnkeepable() {
    guard withUnkeepable > 0 else { return }
    let what = unkeepable.refusals.map(\.words).joined(separator: ", ")
    find(
      "The server cannot keep \(what): \(Quantities.count(withUnkeepable, "message")) "
        + "\(withUnkeepable == 1 ? "has" : "have") such marks here only.", exit: .done)
  }

  /// What has the size and the time that it had is not looked into by any other command.
  private func remedy(
    for file: MessageFile, of message: MessageRecord, in folder: MaildirFolder
  ) throws(MaildirError) -> String {
    let facts = try folder.facts(file)
    let looksSame =
      Int64(facts.size) == message.size && facts.modified / 1_000_000_000 == message.internalDate
    return
      (looksSame
      ? "It has the size and time that it had: give it a new time with touch(1); then `mirror revert`"
      : "`mirror revert`") + " sets the file aside, and brings the server's message."
  }

  private mutating func find(
    _ problem: String, _ uid: UID? = nil, _ remedy: String? = nil, exit: ExitStatus = .inPart
  ) {
    findings.append(
      RunProblem(
        mailbox: record.name, uid: uid?.rawValue, problem: problem, remedy: remedy, exitStatus: exit
      ))
  }
}
