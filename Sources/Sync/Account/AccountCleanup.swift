import Ledger
import LocalChanges
import MailCore
import Maildir
import State

extension MailboxRecord {
  /// What arrived before this moment may be unlinked; nil where nothing may: the server must still have it. Of a mailbox
  /// that is gone, or whose records come from a backup, that is not known.
  var prunableBefore: Int64? { isGone || needsAdoption ? nil : windowStart }
}

/// The end of a run: files of messages that the server expunged or the window left behind are unlinked, now that
/// everything new is here.
struct AccountCleanup {
  let context: AccountContext
  let mailbox: MailboxRecord
  let mailboxID: Int64
  let local: LocalFolder

  init?(context: AccountContext, mailbox: MailboxRecord) throws {
    guard let id = mailbox.id, let folder = try context.folder(ofMailbox: id) else { return nil }
    self.context = context
    self.mailbox = mailbox
    mailboxID = id
    local = folder
  }

  /// What the server said of files that were not there: a person may have brought them back, or moved them.
  ///
  /// - Returns: how many files were touched.
  func applyAgain() throws -> Int {
    var touched = 0
    var kept: [MessageRecord] = []
    let waiting = try context.state.unapplied(in: mailboxID)
    let places = try context.places(
      ofFiles: Set(waiting.map { XXH3.hash($0.name) }), except: local.path)
    for record in waiting {
      guard let remote = record.unappliedRemote else { continue }
      var known = record
      known.unappliedRemote = nil
      var outcome = try local.bring(remote, to: known)
      if case .absent = outcome, let place = places[XXH3.hash(record.name)],
        !context.policy.keywords.keepsLetters(for: remote, known)
      {
        let folder = try context.folder(at: place)
        outcome = try folder.bring(remote, to: known)
        try folder.sync()
      }
      guard case .applied(let applied, let isTouched) = outcome else { continue }
      kept.append(applied)
      if isTouched { touched += 1 }
    }
    guard !kept.isEmpty else { return 0 }
    try local.sync()
    try write(kept) { _ in }
    return touched
  }

  /// What left the window: recorded as pruned, then unlinked; never while flagged or changed here, nor what the server
  /// may no longer have.
  func prune(before start: Int64) throws -> Int {
    var pruned = 0
    var leaving = UIDSet()
    try context.state.forEachMessage(in: mailboxID) { record in
      let isLeftover = record.isPruned && !record.name.isEmpty
      let isOld =
        !record.isPruned && record.internalDate < start
        && record.traits.isDisjoint(with: [.expunged, .differs, .outOfView])
        && !record.agreed.flags.contains(.flagged) && record.unappliedRemote == nil
      if isOld || isLeftover { leaving.insert(record.uid) }
    }
    try inBatches(leaving) { pruned += try prune($0) }
    return pruned
  }

  /// The records of these UIDs, a bounded number at a time.
  func inBatches(_ uids: UIDSet, _ body: ([MessageRecord]) throws -> Void) throws {
    var rest = uids
    while !rest.isEmpty {
      try context.checkInterrupt()
      let (some, others) = rest.splitNewest(1000)
      var records: [MessageRecord] = []
      for range in some.ranges { records += try context.state.messages(in: mailboxID, range) }
      try body(records)
      rest = others
    }
  }

  private func prune(_ leaving: [MessageRecord]) throws -> Int {
    var seen: [UID: FileFacts] = [:]
    let unchanged = try leaving.filter { record in
      // A run that died left it.
      if record.isPruned { return true }
      seen[record.uid] =
        try local.withFile(record.name, lastFlags: record.agreed.flags) { file in
          try factsIfAgreed(file, record)
        } ?? nil
      return seen[record.uid] != nil
    }
    guard !unchanged.isEmpty else { return 0 }
    try write(unchanged) { $0.traits.insert(.pruned) }
    var staying: Set<UID> = []
    for record in unchanged {
      let isGone = try local.withFile(record.name, lastFlags: record.agreed.flags) { file in
        var facts: FileFacts? = try local.folder.facts(file)
        if let now = facts, seen[record.uid].map({ now.isUntouched(since: $0) }) != true {
          facts = try factsIfAgreed(file, record)
        }
        guard let facts else { return false }
        try local.unlink(file, asSeen: facts)
        return true
      }
      if try isGone == false || isGone == nil && isThere(record) { staying.insert(record.uid) }
    }
    try local.sync()
    try write(unchanged) { record in
      if staying.contains(record.uid) {
        record.traits.remove(.pruned)
      } else {
        record.traits.insert(.pruned)
        record.name = []
      }
    }
    return unchanged.count - staying.count
  }

  /// Nil where a change waits for a push.
  private func factsIfAgreed(_ file: MessageFile, _ record: MessageRecord) throws -> FileFacts? {
    let facts = try local.folder.facts(file)
    return try local.isAsAgreed(file, record) ? facts : nil
  }

  func write(_ records: [MessageRecord], _ change: (inout MessageRecord) -> Void) throws {
    try context.state.transaction { transaction in
      for var record in records {
        change(&record)
        try transaction.put(record, in: mailboxID)
      }
    }
    context.noteChange()
  }
}
