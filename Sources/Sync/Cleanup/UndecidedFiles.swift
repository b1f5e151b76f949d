import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// The end of an adoption, for files whose message the server no longer has where they lie. Where it has the very message in
/// another mailbox, another client moved it: the file stays, and is not sent, or the server had two of it. The others are
/// here alone, and a push sends them.
///
/// They are on record before their mailbox counts as adopted, so a run that dies in between leaves them to the next.
struct UndecidedFiles {
  let context: AccountContext
  /// Which mailboxes are mirrored.
  let folders: FolderPatterns

  func decide() throws {
    let undecided = try context.state.undecidedFiles()
    guard !undecided.isEmpty, !context.isRehearsal else { return }
    let records = try context.state.mailboxes()
    let failures = try context.state.failures()
    // A mailbox that cannot be opened may be where the message is, however long it takes.
    guard try context.hasLookedIntoAll(of: folders) else { return tell(undecided, records) }
    let birthplaces = Birthplaces(context.state, records, failures)
    var decided: [Int64: [SurplusFile]] = [:]
    var displaced: [SurplusFile] = []
    for record in records {
      guard let id = record.id, undecided[id] != nil else { continue }
      try context.sparing(record.name) {
        let found = try look(into: id, birthplaces)
        decided[id] = found.surplus
        displaced += found.displaced
      }
    }
    let moved = try DisplacedFiles(context: context, displaced: displaced).find(among: records)
    try context.state.transaction { transaction in
      for (mailbox, surplus) in decided { try transaction.decideSurplus(surplus, of: mailbox) }
      for (mailbox, files) in moved {
        for file in files { try transaction.addSurplus(file, to: mailbox) }
      }
    }
    context.noteChange()
    for record in records {
      guard let id = record.id else { continue }
      let count = (decided[id]?.count ?? 0) + (moved[id]?.count ?? 0)
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

  /// - Returns: those that are to stay, of the files that are here, and those that are not.
  private func look(into mailbox: Int64, _ birthplaces: Birthplaces) throws -> (
    surplus: [SurplusFile], displaced: [SurplusFile]
  ) {
    let undecided = Dictionary(
      try context.state.undecidedFiles(in: mailbox).map { ($0.file.nameHash, $0) },
      uniquingKeysWith: { $1 })
    var displaced = undecided.filter(\.value.wasHere)
    var surplus: [SurplusFile] = []
    guard let local = try context.folders.local(ofMailbox: mailbox) else {
      return ([], displaced.values.map(\.file))
    }
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
        let isMoved = try otherPlace.holds(digest, besides: mailbox, countsStubs: true)
        if isMoved {
          surplus.append(
            SurplusFile(nameHash: file.baseHash, contentHash: one.file.contentHash))
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return (surplus, displaced.values.map(\.file))
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
