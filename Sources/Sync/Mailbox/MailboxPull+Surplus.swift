import Ledger
import MailCore
import Maildir
import State
import SyncPlan

extension MailboxPull {
  /// The end of an adoption: files that no message took, and that are what another file of this folder is.
  func noteSurplus() throws {
    var leftovers = try matcher ?? candidates()
    matcher = nil
    guard !leftovers.isEmpty else { return }
    var surplus: Set<SurplusFile> = []
    var failure: (any Error)?
    let others = try context.state.mailboxes().filter { $0.needsAdoption && $0.id != mailboxID }
      .map(\.mailboxName)
    try context.state.forEachMessage(in: mailboxID) { record in
      guard failure == nil, record.contentHash != 0 else { return }
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
    try leaveOutMoved(&surplus)
    guard try surplus != Set(context.state.surplus(in: mailboxID)) else { return }
    try context.state.transaction { try $0.setSurplus(Array(surplus), of: mailboxID) }
    context.noteChange()
    guard !surplus.isEmpty else { return }
    context.note(
      RunProblem(
        mailbox: record.name,
        problem: (surplus.count == 1
          ? "1 file here repeats a message of this folder; it stays, and is "
          : "\(surplus.count) files here repeat messages of this folder; they stay, and are ")
          + "never sent to the server.", exitStatus: .done))
  }

  /// By its name it may be a message of a mailbox that is still to be adopted.
  private func isAwaited(_ file: MessageFile, _ others: [MailboxName]) -> Bool {
    guard let birth = BirthName(base: file.base) else { return false }
    return others.contains { birth.isBorn(in: $0) }
  }

  /// A file that is another mailbox's message, moved here, repeats nothing: it waits for the push of that move.
  private func leaveOutMoved(_ surplus: inout Set<SurplusFile>) throws {
    guard !surplus.isEmpty else { return }
    let candidates = Set(surplus.map(\.nameHash))
    for other in try context.state.mailboxes() {
      guard let id = other.id, id != mailboxID else { continue }
      var held: [[UInt8]] = []
      try context.state.forEachName(in: id) { _, name in
        if candidates.contains(XXH3.hash(name)) { held.append(Array(name)) }
      }
      guard !held.isEmpty else { continue }
      let scan = try context.folders.local(ofMailbox: id, isShared: true)?.scanned()
      for name in held where scan?.find(base: name) == nil {
        surplus = surplus.filter { $0.nameHash != XXH3.hash(name) }
      }
    }
  }

  private func isRepetition(_ file: MessageFile, of record: MessageRecord) throws -> Bool {
    guard file.base != record.name else { return false }
    let folder = try local.folder
    do throws(MaildirError) {
      let digest = try folder.digest(of: file, policy: context.policy)
      return digest.contentHash == record.contentHash
    } catch {
      if error.stopsRun { throw error }
      return false
    }
  }
}
