import IMAPClient
import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// What an interrupted push left under way: looked for on the server before anything is done again (DESIGN promise 2).
extension PushExecutor {
  func recover() throws {
    let steps = try state.pushSteps().filter { $0.kind != .copied }
    for (mailbox, group) in Dictionary(grouping: steps, by: \.target).sorted(by: {
      $0.key < $1.key
    }) {
      try context.checkInterrupt()
      guard let target = records[mailbox], !target.isGone else {
        try drop(group)
        continue
      }
      let (uploads, transfers) = (
        group.filter { $0.kind == .append || $0.kind == .appended },
        group.filter { $0.kind != .append && $0.kind != .appended }
      )
      let trouble = try troubled {
        try sparing(mailbox) {
          try recover(uploads, appendsIn: mailbox)
          try recover(transfers, transfersTo: mailbox)
        }
      }
      undecided[mailbox] = trouble ?? strange[mailbox]
      guard undecided[mailbox] == nil else { continue }
      decided.insert(mailbox)
      let count = Fact.undecided(mailbox)
      if try state.fact(count) != nil { try state.removeFact(count) }
    }
    if !onlyLooks { try finishCopies() }
  }

  // MARK: Uploads

  private func recover(_ steps: [PushStep], appendsIn mailbox: Int64) throws {
    guard !steps.isEmpty else { return }
    // A pull may have met the message meanwhile, and matched it with its file.
    let known = try originals(of: steps, in: mailbox)
    let open = steps.filter {
      !known.contains(RewrittenName.original(of: $0.record.name)) || $0.source != 0
    }
    try drop(steps.filter { step in !open.contains { $0.number == step.number } })
    var unseen: [PushStep] = []
    for step in open {
      if let pulled = try pulled(step, in: mailbox) {
        if try takeOver(pulled, for: step, in: mailbox) {
          try arrived(step, at: pulled.uid)
        } else {
          // The file that was sent is gone, or is another by now: what the pull made of the message is all there is.
          try drop([step])
        }
      } else {
        unseen.append(step)
      }
    }
    guard !unseen.isEmpty, try self.open(mailbox) else { return }
    if remote.isGmail {
      let told = unseen.filter { $0.copyUID.rawValue != 0 }
      unseen.removeAll { $0.copyUID.rawValue != 0 }
      unseen += try arriveOnGmail(told, in: mailbox)
      guard try !unseen.isEmpty && self.open(mailbox) else { return }
    }
    try lookFor(unseen, in: mailbox)
  }

  /// A draft whose answer was lost, and that a pull then took for somebody else's: the file it made of it is one too many.
  private func pulled(_ step: PushStep, in mailbox: Int64) throws -> MessageRecord? {
    let hash = step.record.contentHash
    guard step.source != 0, hash != 0, records[mailbox]?.uidValidity == step.uidValidity else {
      return nil
    }
    let uids = try state.contents(in: mailbox, among: [hash])[hash] ?? []
    for uid in uids where uid != step.sourceUID && uid.rawValue >= step.uidNext {
      if let record = try state.message(in: mailbox, uid), record.name != step.record.name {
        return record
      }
    }
    return nil
  }

  /// Unlinks the file that a pull made of what was sent: only one that it named itself and that nobody changed, and only
  /// if the file that was sent is there with the very content that was sent.
  ///
  /// - Returns: whether the file that was sent stands for the message now.
  private func takeOver(_ pulled: MessageRecord, for step: PushStep, in mailbox: Int64) throws
    -> Bool
  {
    guard let folder = try context.folders.local(ofMailbox: mailbox) else { return false }
    let name = try nameNow(of: step, in: folder)
    let isThere = try folder.withFile(name, lastFlags: step.record.agreed.flags) {
      try folder.folder.digest(of: $0, policy: policy).contentHash == step.record.contentHash
    }
    guard isThere == true else { return false }
    // The pull matched the very file that was sent.
    guard pulled.name != name else { return true }
    guard let birth = BirthName(base: pulled.name), birth.uid == pulled.uid else { return true }
    guard !context.isRehearsal else { return true }
    _ = try folder.withFile(pulled.name, lastFlags: pulled.agreed.flags) { file in
      let seen = try folder.folder.facts(file)
      if try folder.isAsAgreed(file, pulled) { try folder.unlink(file, asSeen: seen) }
    }
    try folder.sync()
    return true
  }

  /// Those of the steps' names, as they were before any rewrite of a keywords line, that messages of the mailbox have.
  private func originals(of steps: [PushStep], in mailbox: Int64) throws -> Set<[UInt8]> {
    let wanted = Set(steps.map { RewrittenName.original(of: $0.record.name) })
    var found: Set<[UInt8]> = []
    try state.forEachName(in: mailbox) { _, name in
      let original = RewrittenName.original(of: Array(name))
      if wanted.contains(original) { found.insert(original) }
    }
    return found
  }

  /// The base name that a step's file has now: its keywords line may have been rewritten since.
  func nameNow(of step: PushStep, in folder: LocalFolder) throws -> [UInt8] {
    let name = step.record.name
    if try folder.locate(name, lastFlags: step.record.agreed.flags) != nil { return name }
    let original = RewrittenName.original(of: name)
    var found: [UInt8]?
    try FolderScan.forEachFile(in: folder.folder) { file in
      if RewrittenName.original(of: file.base) == original { found = file.base }
    }
    return found ?? name
  }

  /// Finds appended messages by UIDs that are new since, header, and content. What is not there was never taken, unless
  /// the server said so: that one is looked for by its Message-ID, too, since some servers change what they take.
  func lookFor(_ steps: [PushStep], in mailbox: Int64) throws {
    if remote.session.quirks.contains(.checkAfterAppend) { _ = try remote.run([.check]) }
    let fresh = try fresh(since: steps, in: mailbox)
    let label = policy.keywords.line?.name
    let headers = try remote.hashes(of: fresh, whole: false, labelName: label)
    let wanted = Set(steps.map(\.record.headerHash))
    let candidates = UIDSet(headers.filter { wanted.contains($0.value) }.keys.sorted())
    let contents = try remote.contents(of: candidates, labelName: label)
    var free = contents.sorted { $0.key < $1.key }
    var missing: [PushStep] = []
    for step in steps {
      if let place = free.firstIndex(where: { $0.value.holds(step.record) }) {
        let uid = free.remove(at: place).key
        try arrived(step, at: uid, identity: identityOnGmail(uid))
        setDate(ofFileOf: step)
      } else {
        missing.append(step)
      }
    }
    if !missing.isEmpty {
      try expectShown(fresh, headers.keys, in: mailbox)
      try expectShown(candidates, contents.keys, in: mailbox)
    }
    missing = try arrive(missing, atStaleRecordsOf: mailbox)
    try drop(missing.filter { $0.kind == .append })
    try lookFor(taken: missing.filter { $0.kind != .append }, in: mailbox)
  }

  /// The server said that it took them, and shows nothing that is byte for byte the same.
  private func lookFor(taken all: [PushStep], in mailbox: Int64) throws {
    // A message may have to be labelled there, which is for a push to do.
    if remote.isGmail && onlyLooks { return }
    let steps = remote.isGmail ? try labelKnownOnGmail(all, in: mailbox) : all
    guard !steps.isEmpty else { return }
    var identities: [UInt32: String] = [:]
    for step in steps { identities[step.number] = try messageID(of: step, in: mailbox) }
    let uids =
      identities.isEmpty ? UIDSet() : try remote.uids(from: firstUID(since: steps))
    let headers = try remote.headers(of: uids, labelName: policy.keywords.line?.name)
    for step in steps {
      guard let identity = identities[step.number] else {
        if try isThere(step, in: mailbox) {
          noteUnrecognised(step)
        } else if try !mayShowLate(step) {
          // The file is gone: nothing waits for the message any more.
          try drop([step])
        }
        continue
      }
      let places = headers.filter { $0.value.messageID == identity }.keys
      let isOnlyOne = identities.values.count { $0 == identity } == 1
      guard isOnlyOne, places.count == 1, let uid = places.first else {
        noteUnrecognised(step)
        continue
      }
      var step = step
      step.record.traits.insert(.differs)
      let pulled = try state.message(in: mailbox, uid)
      // Another message's record, from before the server was restored from a backup: its file repeats nothing.
      let isStale = pulled?.headerHash != headers[uid]?.hash && isUnconfirmed(uid, in: mailbox)
      if let pulled, pulled.name != step.record.name, !isStale {
        guard try takeOver(pulled, for: step, in: mailbox) else {
          try drop([step])
          continue
        }
      }
      try arrived(step, at: uid, identity: identityOnGmail(uid))
    }
  }

  /// Some servers show to one session late what another brought. Till then a file that was moved on is no new message.
  private func mayShowLate(_ step: PushStep) throws -> Bool {
    guard let taken = try state.fact(step.takenFact).flatMap({ Int64($0) }) else { return false }
    return context.started - taken < 3600
  }

  func messageID(of step: PushStep, in mailbox: Int64) throws -> String? {
    guard let folder = try context.folders.local(ofMailbox: mailbox) else { return nil }
    let name = try nameNow(of: step, in: folder)
    let found = try folder.withFile(name, lastFlags: step.record.agreed.flags) {
      MessageIDField.value(in: try folder.folder.header(of: $0, policy: policy))
    }
    return found ?? nil
  }

  private func isThere(_ step: PushStep, in mailbox: Int64) throws -> Bool {
    guard let folder = try context.folders.local(ofMailbox: mailbox) else { return false }
    let name = try nameNow(of: step, in: folder)
    return try folder.locate(name, lastFlags: step.record.agreed.flags) != nil
  }

  private func noteUnrecognised(_ step: PushStep) {
    guard begunHere.contains(step.number) else { return }  // told by the survey
    context.note(
      RunProblem(
        mailbox: name(step.target),
        problem:
          "The server took “\(String(decoding: step.record.name, as: UTF8.self).visible)”, and does not "
          + "show it: it is not sent again.", remedy: "It is looked for again on every push."))
  }
}
