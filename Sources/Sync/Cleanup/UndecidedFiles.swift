import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// The end of an adoption, for files whose message the server no longer has where they lie. Where it has the very message in
/// another mailbox, another client moved it, or the server had two of it. Where the file's name proves which one it was, it
/// goes as any that the server expunged, and else it stays, and is not sent. The others are here alone, and a push sends
/// them.
///
/// They are on record before their mailbox counts as adopted, so a run that dies in between leaves them to the next.
struct UndecidedFiles {
  /// What becomes of the files of one folder.
  private struct Decision {
    /// They stay, and are never sent.
    var surplus: [SurplusFile] = []
    /// Their messages are gone from the mailbox, and so they go.
    var expunged: [MessageRecord] = []
  }

  let context: AccountContext
  /// Which mailboxes are mirrored.
  let folders: FolderPatterns

  func decide() throws {
    let undecided = try context.state.undecidedFiles()
    guard !undecided.isEmpty, !context.isRehearsal else { return }
    let records = try context.state.mailboxes()
    let failures = try context.state.failures()
    guard try context.hasLookedIntoAll(of: folders) else { return tell(undecided, records) }
    let birthplaces = Birthplaces(context.state, records, failures)
    var decided: [Int64: Decision] = [:]
    var displaced: [SurplusFile] = []
    for record in records {
      guard let id = record.id, undecided[id] != nil else { continue }
      try context.sparing(record.name) {
        var decision = Decision()
        displaced += try look(into: record, birthplaces, &decision)
        decided[id] = decision
      }
    }
    let moved = try DisplacedFiles(context: context, displaced: displaced).find(among: records)
    try context.state.transaction { transaction in
      for (mailbox, decision) in decided {
        try transaction.decideSurplus(decision.surplus, of: mailbox)
        for message in decision.expunged { try transaction.put(message, in: mailbox) }
      }
      for (mailbox, files) in moved {
        for file in files { try transaction.addSurplus(file, to: mailbox) }
      }
    }
    context.noteChange()
    for record in records {
      guard let id = record.id else { continue }
      let count = (decided[id]?.surplus.count ?? 0) + (moved[id]?.count ?? 0)
      guard count > 0 else { continue }
      context.note(RunProblem(PullNotice.movedOnServer(count), mailbox: record.name))
    }
  }

  private func tell(_ undecided: [Int64: Int], _ records: [MailboxRecord]) {
    for record in records {
      guard let count = record.id.flatMap({ undecided[$0] }) else { continue }
      context.note(RunProblem(PullNotice.undecidedFiles(count), mailbox: record.name))
    }
  }

  /// - Returns: those that are not here.
  private func look(
    into record: MailboxRecord, _ birthplaces: Birthplaces, _ decision: inout Decision
  ) throws -> [SurplusFile] {
    let mailbox = record.id ?? 0
    let undecided = Dictionary(
      try context.state.undecidedFiles(in: mailbox).map { ($0.file.nameHash, $0) },
      uniquingKeysWith: { $1 })
    var displaced = undecided.filter(\.value.wasHere)
    guard let folder = try CleanedFolder(context: context, mailbox: record) else {
      return displaced.values.map(\.file)
    }
    let local = folder.local
    var names: [UInt64] = []
    try context.state.forEachName(in: mailbox) { _, name in names.append(XXH3.hash(name)) }
    names.sort()
    for name in names { displaced[name] = nil }
    let otherPlace = OtherPlace(context)
    var failure: (any Error)?
    try FolderScan.unknown(in: local.folder, known: names) { file in
      guard failure == nil, let one = undecided[file.baseHash] ?? rewritten(file, of: undecided)
      else { return }
      displaced[one.file.nameHash] = nil
      do {
        // What was edited since is another message.
        guard try one.wasHere || birthplaces.haveLost(file),
          let digest = try local.digest(of: file),
          digest.contentHash == one.file.contentHash
        else { return }
        guard let other = try otherPlace.find(digest, besides: mailbox, countsStubs: true) else {
          return
        }
        if let message = try expunged(file, digest, in: folder, other) {
          decision.expunged.append(message)
        } else {
          decision.surplus.append(
            SurplusFile(nameHash: file.baseHash, contentHash: one.file.contentHash))
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return displaced.values.map(\.file)
  }

  /// The message that the file was, as the lost state would have it by now: the server gave out this UID here and has
  /// nothing under it (promise 3), and the very message is whole in another folder.
  ///
  /// - Returns: nil where the file's name does not prove it.
  private func expunged(
    _ file: MessageFile, _ digest: MessageDigest, in folder: CleanedFolder,
    _ other: (mailbox: Int64, message: MessageRecord)
  ) throws -> MessageRecord? {
    guard let birth = BirthName(base: file.base), birth.isBorn(in: folder.mailbox.mailboxName),
      birth.uidValidity.rawValue == folder.mailbox.uidValidity,
      birth.uid.rawValue < folder.mailbox.uidNext, !digest.isStub, !other.message.isStub,
      try context.state.message(in: folder.mailboxID, birth.uid) == nil,
      let home = try context.folders.local(ofMailbox: other.mailbox),
      // A link may have led to one directory for both.
      try home.folder.identity() != folder.local.folder.identity()
    else { return nil }
    var message = MessageRecord(
      uid: birth.uid, name: file.base, agreed: other.message.agreed,
      headerHash: digest.headerHash, contentHash: digest.contentHash,
      size: Int64(try folder.local.folder.facts(file).size),
      internalDate: other.message.internalDate, traits: .expunged)
    message.nativeLabels = digest.nativeLabels
    // Neither side loses a mark.
    message.agreed = try MarkPlan.common(
      folder.marks(of: file, message), other.message.agreed)
    return message
  }

  /// A command wrote the file's keywords line anew, and so gave it another name.
  private func rewritten(_ file: MessageFile, of undecided: [UInt64: UndecidedFile])
    -> UndecidedFile?
  {
    RewrittenName.earlier(than: file.base).lazy.compactMap { undecided[XXH3.hash($0)] }.first
  }
}

/// Where pulls gave files their names.
private struct Birthplaces {
  private let state: StateStore
  private let records: [UInt64: MailboxRecord]
  private let failures: [FailureRecord]

  init(_ state: StateStore, _ records: [MailboxRecord], _ failures: [FailureRecord]) {
    self.state = state
    self.records = Dictionary(
      records.filter { !$0.isGone && $0.uidValidity != 0 }.map {
        (BirthName.hash(of: $0.mailboxName), $0)
      }, uniquingKeysWith: { $1 })
    self.failures = failures
  }

  /// Whether the message that a file's name tells is gone from the mailbox that it was born in. Else the file may be a
  /// person's copy of it.
  func haveLost(_ file: MessageFile) throws -> Bool {
    guard let birth = BirthName(base: file.base), let place = records[birth.mailboxHash],
      let id = place.id, place.uidValidity == birth.uidValidity.rawValue,
      birth.uid.rawValue < place.uidNext,
      !failures.contains(where: { $0.mailbox == id && $0.uid == birth.uid.rawValue })
    else { return false }
    return try state.message(in: id, birth.uid) == nil
  }
}
