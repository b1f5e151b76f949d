import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Files of messages that the server expunged.
struct ExpungedFiles {
  let folder: CleanedFolder
  private let expunged: UIDSet
  private var mark: UnlinkingMark
  /// Files that no record tells of, by content, once they were needed.
  private var unknown: [ContentHash: [MessageFile]]?

  private var context: AccountContext { folder.context }
  private var mailbox: MailboxRecord { folder.mailbox }
  private var local: LocalFolder { folder.local }

  init(folder: CleanedFolder) throws {
    self.folder = folder
    expunged = try folder.context.state.uids(.expunged, in: folder.mailbox.id)
    mark = try UnlinkingMark(
      folder.context.state, mailbox: folder.mailbox.id, expunged: expunged)
  }

  /// - Returns: how many files went.
  mutating func unlinkAll() throws -> Int {
    var gone = 0
    if !expunged.isEmpty { try followRewrites() }
    try folder.inBatches(expunged) { gone += try unlink($0) }
    return gone
  }

  /// A file that got another name since its mailbox was visited would outlive its record.
  private func followRewrites() throws {
    guard case .header = context.policy.keywords else { return }
    let renamed = try RewrittenFiles(local: local, state: context.state, mailbox: mailbox.id)
      .records()
    guard !renamed.isEmpty else { return }
    try folder.write(renamed) { _ in }
  }

  /// Files first, then the directory, then the state: a file that outlived its record would look like a new message.
  private mutating func unlink(_ records: [MessageRecord]) throws -> Int {
    var gone = 0
    var missing: [MessageRecord] = []
    var waiting: Set<UID> = []
    try mark.set(withFiles(records), in: context.state)
    for record in records where record.traits.contains(.expunged) {
      let twins = try local.scanned().all(hash: NameHash(of: record.name))
      let fate =
        twins.count > 1
        ? try unlink(twins: twins.map { $0.file(base: record.name) }, record)
        : try local.withFile(of: record) { try unlink([$0], record) }
      switch fate {
      // A reader is at work on it: what is there is no missing file.
      case nil where try folder.isThere(record): waiting.insert(record.uid)
      case nil: missing.append(record)
      case .gone: gone += 1
      case .waits: waiting.insert(record.uid)
      case .stays: break
      }
    }
    missing.removeAll { $0.contentHash == .unknown || mark.doubtful.contains($0.uid) }
    var moves = MovesOnBothSides(folder: folder, missing: missing)
    for record in missing {
      let fate = try unlinkRenamed(record) ?? moves.follow(record)
      if fate == .gone { gone += 1 }
      if fate == .waits { waiting.insert(record.uid) }
    }
    moves.tell()
    let settled = records.filter {
      $0.traits.contains(.expunged) && !waiting.contains($0.uid)
    }
    if !waiting.isEmpty { noteWaiting(waiting.count) }
    guard !settled.isEmpty else { return 0 }
    try local.sync()
    try context.write { transaction in
      for record in settled { try transaction.remove(record.uid, from: mailbox.id) }
      try mark.settle(UIDSet(settled.map(\.uid).sorted()), transaction)
    }
    return gone
  }

  /// Where a backup was copied over the tree, a message whose flags had changed has two files of one name. They are one
  /// message's: the second, if it stayed, would look like a new one.
  private func unlink(twins: [MessageFile], _ record: MessageRecord) throws -> ExpungedFate {
    do { return try unlink(twins, record) } catch MaildirError.vanished {
      return .waits  // A reader is at work on one.
    }
  }

  /// - Parameter files: all that have the message's name.
  private func unlink(_ files: [MessageFile], _ record: MessageRecord) throws -> ExpungedFate {
    var going: [(file: MessageFile, seen: FileFacts, marks: MessageMarks)] = []
    var uncarried: [MessageMarks] = []
    for file in files {
      if try isAnothersToo(file, record) { continue }
      let seen = try local.folder.facts(file)
      let isEdited = try isEdited(file, record)
      if try isEdited && !isHereAnew(file, record) {
        noteEdited(record)
        continue
      }
      let marks = try local.marks(of: file, record)
      if !isEdited { uncarried.append(marks) }
      going.append((file, seen, marks))
    }
    guard !going.isEmpty else { return .stays }
    if !uncarried.isEmpty, try !carryOver(Self.union(uncarried), record), context.missesMailboxes {
      return .waits
    }
    // What lacks most of what was agreed first: a file that is left alone by a kill takes that away.
    going.sort { Self.lacking($0.marks, of: record) > Self.lacking($1.marks, of: record) }
    for one in going { try local.unlink(one.file, asSeen: one.seen) }
    return .gone
  }

  /// What one lacks was not taken away: it was put back from an earlier day.
  private static func union(_ all: [MessageMarks]) -> MessageMarks {
    all.dropFirst().reduce(all[0]) {
      MessageMarks(
        flags: $0.flags.union($1.flags), keywords: $0.keywords.union($1.keywords))
    }
  }

  private static func lacking(_ marks: MessageMarks, of record: MessageRecord) -> Int {
    record.agreed.flags.subtracting(marks.flags).rawValue.nonzeroBitCount
      + Array(record.agreed.keywords.subtracting(marks.keywords)).count
  }

  private mutating func unlinkRenamed(_ record: MessageRecord) throws -> ExpungedFate? {
    if unknown == nil { unknown = try unknownFiles() }
    guard let file = unknown?[record.contentHash]?.popLast(),
      try !folder.mayBeAnothers(file, record.contentHash)
    else { return nil }
    // Where a reader is quicker, the next push finds a new message: nothing is lost.
    return try local.withFile(file) { try unlink([$0], record) }
  }

  /// Those whose files are there, and not only for a run that visits all mailboxes.
  private func withFiles(_ records: [MessageRecord]) throws -> UIDSet {
    UIDSet(
      try records.filter { record in
        guard record.traits.contains(.expunged),
          let file = try local.file(of: record)
        else { return false }
        return try !context.missesMailboxes || local.marks(of: file, record) == record.agreed
      }.map(\.uid).sorted())
  }

  private func noteWaiting(_ count: Int) {
    context.note(
      RunProblem(
        mailbox: mailbox.name,
        problem:
          "\(Quantities.count(count, "message")) that the server no longer has here, and that you changed, "
          + "may be in a mailbox that this run did not visit: the files wait for one that does.",
        exitStatus: .done))
  }

  /// Files that no record tells of, by content. Some readers give a message's file another name when they change its
  /// header: until a push has seen it, it would pass for a new message.
  private func unknownFiles() throws -> [ContentHash: [MessageFile]] {
    // What a pull left half way may be another message of the same content.
    guard mailbox.isSettled else { return [:] }
    var files: [ContentHash: [MessageFile]] = [:]
    for file in try local.folder.files(besides: context.state.hashesOfNames(in: mailbox.id)) {
      guard let digest = try local.digest(of: file) else { continue }
      files[digest.contentHash, default: []].append(file)
    }
    return files
  }

  /// Whether the file is that of a message which the server has in another mailbox: a person moved it here, a push took it
  /// for this one, and the pull found by its name whose it is. It stays where it lies, and the next push moves that
  /// message.
  private func isAnothersToo(_ file: MessageFile, _ record: MessageRecord) throws -> Bool {
    guard let birth = BirthName(base: file.base), !birth.isBorn(in: mailbox.mailboxName),
      let home = try context.state.mailboxes().first(where: { birth.isBorn(in: $0.mailboxName) }),
      !home.isGone, home.uidValidity == birth.uidValidity.rawValue,
      let other = try context.state.message(in: home.id, birth.uid), other.name == file.base,
      other.traits.isDisjoint(with: [.expunged, .pruned]),
      // With a file of its own there, this one is a copy.
      try context.folders.file(of: other, in: home.id) == nil
    else { return false }
    context.leavesPush = true
    return true
  }

  /// An edited message wins over its deletion: it stays, as a local one. So does a file that was taken for the message
  /// although it holds what the server's did not: its record knows no other content, and sees no edit. What a server
  /// changed in a message that was pushed is no such thing.
  private func isEdited(_ file: MessageFile, _ record: MessageRecord) throws -> Bool {
    try record.traits.isSuperset(of: [.adopted, .differs]) || local.holdsAnother(file, record)
  }

  private func noteEdited(_ record: MessageRecord) {
    context.note(
      RunProblem(
        mailbox: mailbox.name, uid: record.uid.rawValue,
        problem:
          "The server expunged a message that was edited here; the edited one stays, as a local message.",
        exitStatus: .done))
  }

  /// Whether the edited draft was sent, from another machine with the same tree: the pull has brought what came of it,
  /// in a file of its own.
  private func isHereAnew(_ file: MessageFile, _ record: MessageRecord) throws -> Bool {
    guard !record.traits.isSuperset(of: [.adopted, .differs]) else { return false }
    let content = try local.folder.digest(of: file, policy: context.policy).contentHash
    for (other, copy) in try context.state.copies(ofContent: content)
    where other == mailbox.id && copy.name != file.base {
      let marks = try local.marks(of: file, record)
      if try carry(marks, record, over: copy, in: other, reads: true) { return true }
    }
    return false
  }

  /// A person's flags and keywords that were not pushed yet follow a message that the server moved.
  ///
  /// - Returns: whether none are left: there may be no message that they could follow.
  private func carryOver(_ marks: MessageMarks, _ record: MessageRecord) throws -> Bool {
    guard marks != record.agreed, record.contentHash != .unknown else { return true }
    // Perhaps in this very mailbox, under a new UID, if it went away and came back. Records of expunged ones are none.
    for (other, copy) in try context.state.copies(ofContent: record.contentHash) {
      if try carry(marks, record, over: copy, in: other) { return true }
    }
    return false
  }

  /// - Parameter reads: the other file has to hold what its record says.
  /// - Returns: false where there is no file that they could follow.
  private func carry(
    _ marks: MessageMarks, _ record: MessageRecord, over copy: MessageRecord, in other: MailboxKey,
    reads: Bool = false
  ) throws -> Bool {
    guard let home = try context.folders.local(ofMailbox: other) else { return false }
    let carried = try home.withFile(of: copy) {
      found -> MessageRecord? in
      if try reads && home.holdsAnother(found, copy) { return nil }
      let now = try home.marks(of: found, copy)
      let wanted = MessageMarks.merged(agreed: record.agreed, local: marks, remote: now)
      var kept = copy
      if wanted != now { try home.apply(wanted, over: now, to: found, &kept) }
      return kept
    }
    guard let kept = carried ?? nil else { return false }
    context.leavesPush = true
    guard kept != copy else { return true }
    try home.sync()
    try context.state.transaction { try $0.put(kept, in: other) }
    return true
  }
}
