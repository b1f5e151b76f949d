import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import SyncPlan

/// Files that have but a part of a message which their folder has whole: what is left of stubs whose messages came here by
/// another way. No push sends them.
///
/// One goes where the server proves at that moment to have the message, where no message that any account knows differs
/// from it in what is not here, and where the file has nothing that the whole one has not: a person may have written into
/// it.
struct LeftoverStubs {
  let run: AccountRun
  let context: AccountContext

  struct Leftover {
    let mailbox: MailboxRecord
    let local: LocalFolder
    let file: MessageFile
    let seen: FileFacts
    /// Its folder's message, of which it has a part.
    let message: MessageRecord
  }

  // MARK: Finding

  func find(_ options: FillOptions) throws -> [Leftover] {
    var found: [Leftover] = []
    for mailbox in try context.state.mailboxes()
    where mailbox.isMatched && options.choose(mailbox.mailboxName) {
      let unknown = try unknown(in: mailbox.id, options)
      guard !unknown.isEmpty, let local = try context.folders.local(ofMailbox: mailbox.id) else {
        continue
      }
      var files: [MessageFile] = []
      try FolderScan.forEachFile(in: local.folder) { file in
        if unknown.contains(file.baseHash) { files.append(file) }
      }
      for file in files {
        do throws(MaildirError) {
          let seen = try local.folder.facts(file)
          let digest = try local.folder.digest(of: file, policy: context.policy)
          guard digest.isStub, let message = whole(digest, in: mailbox.id) else { continue }
          found.append(
            Leftover(mailbox: mailbox, local: local, file: file, seen: seen, message: message))
        } catch {
          if error.stopsRun { throw error }  // Else it went away, or cannot be read.
        }
      }
    }
    return found
  }

  /// Names, by hash, of files that are no messages: those that were named, else those that a push found.
  private func unknown(in mailbox: MailboxKey, _ options: FillOptions) throws -> Set<NameHash> {
    guard let names = options.names else {
      return Set(try context.state.surplus(in: mailbox).map(\.nameHash))
    }
    var unknown = Set(names.map { NameHash(of: $0) })
    try context.state.forEachName(in: mailbox) { _, name in unknown.remove(NameHash(of: name)) }
    return unknown
  }

  private func whole(_ digest: MessageDigest, in mailbox: MailboxKey) -> MessageRecord? {
    var found: MessageRecord?
    try? context.state.forEachMessage(in: mailbox) { record in
      guard !record.isPruned, !record.traits.contains(.expunged), record.isOtherForm(digest),
        record.contentHash != .unknown
      else { return }
      found = record
    }
    return found
  }

  // MARK: Removing

  func remove(_ leftovers: [Leftover]) throws {
    guard !leftovers.isEmpty else { return }
    var certain: [Leftover] = []
    for leftover in leftovers {
      if try isCertain(leftover.message) {
        certain.append(leftover)
      } else {
        tell(OnDemandError.leftOver(leftover.file.description), of: leftover)
      }
    }
    guard !certain.isEmpty else { return }
    try OnDemandWork(run: run, context: context).connected { connection in
      for (_, group) in certain.grouped(by: \.mailbox.id) {
        guard let mailbox = group.first?.mailbox else { continue }
        try context.sparing(mailbox.name) {
          let existing = try connection.withMailbox(MailboxTarget(mailbox)) {
            try $0.existing(UIDSet(group.map(\.message.uid).sorted()))
          }
          for leftover in group where existing.contains(leftover.message.uid) {
            try remove(leftover)
          }
        }
      }
    }
  }

  /// No message that is known has the same header and size, and perhaps other parts.
  private func isCertain(_ message: MessageRecord) throws -> Bool {
    var hasOther = false
    let states = AccountStates(
      root: run.root, account: run.account.name, others: run.account.otherAccounts)
    let areAllRead = try states.forEachMessage(context.state) { _, other in
      guard other.headerHash == message.headerHash, other.serverSize == message.serverSize else {
        return
      }
      if other.isStub || other.contentHash != message.contentHash { hasOther = true }
    }
    return areAllRead && !hasOther
  }

  private func remove(_ leftover: Leftover) throws {
    do {
      let place = try OnDemandFiles(context: context).place(
        of: leftover.message, in: leftover.mailbox.id)
      guard !place.digest.isStub, place.digest.contentHash == leftover.message.contentHash else {
        return
      }
      guard
        try StubComparison.isNoMore(
          leftover.file, leftover.local.folder, than: place.file, place.local.folder)
      else {
        return tell(OnDemandError.leftOverText(leftover.file.description), of: leftover)
      }
      try leftover.local.unlink(leftover.file, asSeen: leftover.seen)
      try leftover.local.sync()
      context.noteChange()
      context.note(
        RunProblem(
          mailbox: leftover.mailbox.name,
          problem:
            "“\(leftover.file.description.visible)” had but a part of a message that its folder has whole: it was removed.",
          exitStatus: .done))
    } catch MaildirError.vanished, is OnDemandError {
      // It is not as it was seen, and stays.
    }
  }

  private func tell(_ error: OnDemandError, of leftover: Leftover) {
    context.note(RunProblem(error, mailbox: leftover.mailbox.name))
  }
}
