import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// The end of an adoption: files that no message took, and that are not to be sent. What another file of this folder is
/// repeats it; what the server had here and has here no longer may be in another mailbox, and so may what a person's program
/// saved here and a push sent: it shows when all have been looked into (``UndecidedFiles``).
struct SurplusFiles {
  let mailbox: PulledMailbox
  /// What the server has here, as far as this run knows, by a list that is complete.
  let listed: UIDSet
  /// The server gave out no UID from here on.
  let uidNext: UInt32

  /// - Parameter leftovers: what no message took.
  func record(among leftovers: inout FileMatcher) throws {
    guard !leftovers.isEmpty || !leftovers.unread.isEmpty else { return }
    let earlier = Set(try mailbox.state.surplus(in: mailbox.id))
    let earlierUndecided = Set(try mailbox.state.undecidedFiles(in: mailbox.id))
    var surplus = try repeating(among: &leftovers)
    var undecided: [UndecidedFile] = []
    let known = Dictionary(earlier.map { ($0.nameHash, $0) }, uniquingKeysWith: { $1 })
    let waiting = Dictionary(earlierUndecided.map { ($0.file, $0) }, uniquingKeysWith: { $1 })
    // What the server did not show then may show now.
    let hidden = try mailbox.state.surplusOutOfView(in: mailbox.id)
    func judge(_ file: MessageFile) throws {
      // What was known of it before the state came back still holds.
      if let before = known[file.baseHash], !hidden.contains(file.baseHash) {
        if let waiting = waiting[before] {
          undecided.append(waiting)
        } else {
          surplus.insert(before)
        }
      } else if let found = try undecidedFile(file) {
        undecided.append(found)
      }
    }
    try leftovers.forEachLeftover(judge)
    try leftovers.unread.forEach(judge)
    // Their files were moved, or given other names, before the tree came back or since.
    let here = Set(undecided.map(\.file)).union(surplus)
    undecided += earlierUndecided.filter { !here.contains($0.file) }
    let moved = try movedHere(surplus, undecided)
    surplus = surplus.filter { !moved.contains($0.nameHash) }
    undecided.removeAll { moved.contains($0.file.nameHash) || surplus.contains($0.file) }
    let isNew =
      surplus != earlier.subtracting(earlierUndecided.map(\.file))
      || undecided.count != earlierUndecided.count || Set(undecided) != earlierUndecided
    guard isNew else { return }
    try mailbox.commit { try $0.setSurplus(surplus, undecided: undecided, of: mailbox.id) }
    let told = surplus.subtracting(earlier).count
    if told > 0 { mailbox.report(PullNotice.surplusFiles(told)) }
  }

  private func repeating(among leftovers: inout FileMatcher) throws -> Set<SurplusFile> {
    var surplus: Set<SurplusFile> = []
    var failure: (any Error)?
    let others = try mailbox.state.mailboxes().filter { $0.needsAdoption && $0.id != mailbox.id }
      .map(\.mailboxName)
    try mailbox.state.forEachMessage(in: mailbox.id) { record in
      guard failure == nil, record.contentHash != .unknown else { return }
      let files = leftovers.leftovers(headerHash: record.headerHash)
      do {
        for file in files where try !isAwaited(file, others) && isRepetition(file, of: record) {
          surplus.insert(
            SurplusFile(nameHash: file.baseHash, contentHash: record.contentHash))
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return surplus
  }

  /// A pull gave the file its name: the server had the message then, here or where the name tells. Here it has it no
  /// longer, under that UID or, where the mailbox was numbered or made anew since, under any. Of a file without such a name
  /// nothing tells whether the server ever had it. One that cannot be read waits by its name: it may be any message.
  private func undecidedFile(_ file: MessageFile) throws -> UndecidedFile? {
    let birth = BirthName(base: file.base)
    var origin: UndecidedFile.Origin =
      birth.map { $0.isBorn(in: mailbox.name) ? .here : .elsewhere } ?? .unknown
    if origin == .here, let birth, birth.uidValidity.rawValue == mailbox.record.uidValidity {
      guard birth.uid.rawValue < uidNext, !listed.contains(birth.uid) else { return nil }
    }
    let digest = try mailbox.local.digest(of: file)
    if digest == nil, origin == .unknown { origin = .elsewhere }
    return UndecidedFile(SurplusFile(file, digest), origin)
  }

  /// By its name it may be a message of a mailbox that is still to be adopted.
  private func isAwaited(_ file: MessageFile, _ others: [MailboxName]) -> Bool {
    guard let birth = BirthName(base: file.base) else { return false }
    return others.contains { birth.isBorn(in: $0) }
  }

  /// By the hashes of their names, those of the files that are another mailbox's messages, moved here: they repeat nothing,
  /// and wait for the push of that move.
  private func movedHere(_ surplus: Set<SurplusFile>, _ undecided: [UndecidedFile]) throws -> Set<
    NameHash
  > {
    var candidates = Set(surplus.map(\.nameHash))
    candidates.formUnion(undecided.lazy.map(\.file.nameHash))
    var moved: Set<NameHash> = []
    guard !candidates.isEmpty else { return moved }
    for other in try mailbox.state.mailboxes() where other.id != mailbox.id {
      var held: [[UInt8]] = []
      try mailbox.state.forEachName(in: other.id) { _, name in
        if candidates.contains(NameHash(of: name)) { held.append(Array(name)) }
      }
      guard !held.isEmpty else { continue }
      let scan = try mailbox.context.folders.local(ofMailbox: other.id, isShared: true)?.scanned()
      for name in held where scan?.find(base: name) == nil { moved.insert(NameHash(of: name)) }
    }
    return moved
  }

  private func isRepetition(_ file: MessageFile, of record: MessageRecord) throws -> Bool {
    guard file.base != record.name else { return false }
    return try mailbox.local.digest(of: file)?.contentHash == record.contentHash
  }
}
