import MailCore
import Maildir
import State

extension MailboxPull {
  /// The end of an adoption: files that no message took, and that are what another file of this folder is.
  func noteSurplus() throws {
    var leftovers = try matcher ?? candidates()
    matcher = nil
    guard !leftovers.isEmpty else { return }
    var surplus: Set<SurplusFile> = []
    var failure: (any Error)?
    try context.state.forEachMessage(in: mailboxID) { record in
      guard failure == nil, record.contentHash != 0 else { return }
      let files = leftovers.leftovers(headerHash: record.headerHash)
      do {
        for file in files where try isRepetition(file, of: record) {
          surplus.insert(
            SurplusFile(nameHash: file.baseHash, contentHash: record.contentHash))
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    guard try surplus != Set(context.state.surplus(in: mailboxID)) else { return }
    try context.state.transaction { try $0.setSurplus(Array(surplus), of: mailboxID) }
    context.noteChange()
    guard !surplus.isEmpty else { return }
    context.note(
      RunProblem(
        mailbox: record.name,
        problem: "\(surplus.count) files here repeat messages of this folder; they stay, and are "
          + "never sent to the server.", exitStatus: .done))
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
