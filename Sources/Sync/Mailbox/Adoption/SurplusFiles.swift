import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// The end of an adoption: files that no message took, and that are what another file of this folder is.
struct SurplusFiles {
  let mailbox: PulledMailbox

  /// - Parameter leftovers: what no message took.
  func record(among leftovers: inout FileMatcher) throws {
    guard !leftovers.isEmpty else { return }
    var surplus: Set<SurplusFile> = []
    var failure: (any Error)?
    let others = try mailbox.state.mailboxes().filter { $0.needsAdoption && $0.id != mailbox.id }
      .map(\.mailboxName)
    try mailbox.state.forEachMessage(in: mailbox.id) { record in
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
    guard try surplus != Set(mailbox.state.surplus(in: mailbox.id)) else { return }
    try mailbox.commit { try $0.setSurplus(Array(surplus), of: mailbox.id) }
    if !surplus.isEmpty { mailbox.report(PullNotice.surplusFiles(surplus.count)) }
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
    for other in try mailbox.state.mailboxes() {
      guard let id = other.id, id != mailbox.id else { continue }
      var held: [[UInt8]] = []
      try mailbox.state.forEachName(in: id) { _, name in
        if candidates.contains(XXH3.hash(name)) { held.append(Array(name)) }
      }
      guard !held.isEmpty else { continue }
      let scan = try mailbox.context.folders.local(ofMailbox: id, isShared: true)?.scanned()
      for name in held where scan?.find(base: name) == nil {
        surplus = surplus.filter { $0.nameHash != XXH3.hash(name) }
      }
    }
  }

  private func isRepetition(_ file: MessageFile, of record: MessageRecord) throws -> Bool {
    guard file.base != record.name else { return false }
    return try mailbox.local.digest(of: file)?.contentHash == record.contentHash
  }
}
