import Ledger
import LocalChanges
import MailCore
import Maildir
import State

/// Messages that came to the mailbox and left it between two looks. Another machine may have pulled them while they were there,
/// and the tree was carried here: such a file is no new message before every mailbox was looked into, where the message may be
/// by now (``UndecidedFiles``).
struct MissedMessages {
  let mailbox: PulledMailbox

  /// - Parameter uids: the server gave them out since every mailbox was last visited, and has them here no longer.
  func record(_ uids: UIDSet) throws {
    guard !uids.isEmpty, try mailbox.mayHoldUnknownFiles() else { return }
    let files = try unknownFiles(of: uids)
    guard !files.isEmpty else { return }
    let elsewhere = try names(among: Set(files.map(\.baseHash)))
    var undecided: [UndecidedFile] = []
    for file in files where !elsewhere.contains(file.baseHash) {
      guard let digest = try mailbox.local.digest(of: file) else { continue }
      undecided.append(UndecidedFile(SurplusFile(file, digest), .here))
    }
    guard !undecided.isEmpty else { return }
    try mailbox.commit { transaction in
      for file in undecided { try transaction.addUndecided(file, to: mailbox.id) }
    }
  }

  /// Those whose names say that they were pulled from here as these, and that are known as nothing else: an edited draft
  /// keeps the name of the message that it replaces.
  private func unknownFiles(of uids: UIDSet) throws -> [MessageFile] {
    let mark = BirthName.mark(of: mailbox.name)
    let validity = mailbox.record.uidValidity
    let account = mailbox.context.account
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: mailbox.local.folder) { file in
      guard file.name.drop(while: { $0 != UInt8(ascii: ".") }).starts(with: mark),
        let birth = BirthName(base: file.base), birth.uidValidity.rawValue == validity,
        uids.contains(birth.uid), birth.account == account
      else { return }
      files.append(file)
    }
    guard !files.isEmpty else { return [] }
    let known = Set(try mailbox.state.hashesOfNames(in: mailbox.id))
    return files.filter { !known.contains($0.baseHash) }
  }

  /// By their hashes, those that files of other mailboxes' messages have: a person moved such a file back, and the next push
  /// does so on the server.
  private func names(among wanted: Set<NameHash>) throws -> Set<NameHash> {
    var found: Set<NameHash> = []
    for other in try mailbox.state.mailboxes() where other.id != mailbox.id {
      try mailbox.state.forEachName(in: other.id) { _, name in
        let hash = NameHash(of: name)
        if wanted.contains(hash) { found.insert(hash) }
      }
    }
    return found
  }
}
