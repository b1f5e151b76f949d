import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Mailboxes that the server no longer has, under whatever name.
struct VanishedMailboxes {
  let context: AccountContext

  /// Gone from the server: the folder stays, with what is in it, and is said once; an empty one goes.
  func leave(_ vanished: [MailboxRecord]) throws {
    for var record in vanished where !record.isGone {
      try recordMovedOut(of: record)
      record.isGone = true
      record.specialUse = nil
      try context.state.save(record)
      // Nothing of it is tried again.
      try context.state.keepFailures([], of: record.id)
      context.noteChange()
      if (try? holdsOnlyNewMail(record)) == true {
        context.note(
          RunProblem(
            mailbox: record.name,
            problem: "The server no longer has this mailbox, and its folder holds new mail: "
              + "a push makes the mailbox again.",
            remedy: "Move that mail elsewhere if it is to be gone.", exitStatus: .done))
        continue
      }
      do throws(MaildirError) {
        try context.folders.remove(record.folder)
      } catch {
        if case .notEmpty = error {
          context.note(try left(of: record))
        } else if error.stopsRun {
          throw error
        }  // Else it is not there, or no whole Maildir: nothing to lose.
      }
    }
  }

  /// The messages of files that a person moved out of its folder may be elsewhere on the server by now: their moves follow
  /// them, as they do where messages leave a mailbox that stays.
  private func recordMovedOut(of record: MailboxRecord) throws {
    let id = record.id
    guard record.isSettled, !record.keepsNothing,
      let local = try context.folders.local(ofMailbox: id)
    else { return }
    var here: Set<MessageStem> = []
    try FolderScan.forEachFile(in: local.folder) {
      here.insert($0.stem)
    }
    var missing: [UID] = []
    try context.state.forEachName(in: id) { uid, name in
      guard let uid, !here.contains(MessageStem(of: name)) else { return }
      missing.append(uid)
    }
    let records = try context.state.messages(in: id, UIDSet(missing.sorted())).filter {
      $0.traits.isDisjoint(with: [.pruned, .outOfView, .expunged])
    }
    guard !records.isEmpty else { return }
    try context.state.transaction { transaction in
      for var record in records {
        record.traits.insert(.expunged)
        try transaction.put(record, in: id)
      }
    }
  }

  private func left(of record: MailboxRecord) throws -> RunProblem {
    if try context.state.hasPushSteps(to: record.id) {
      return RunProblem(
        mailbox: record.name,
        problem:
          "The server no longer has this mailbox; its folder stays here, with mail that a push was "
          + "sending when it was cut off.", exitStatus: .done)
    }
    return RunProblem(
      mailbox: record.name,
      problem: "The server no longer has this mailbox; its folder stays here as a local one.",
      remedy: "Remove the folder yourself when you don't need it.", exitStatus: .done)
  }

  /// The server's mailbox was empty, and what lies in the folder was never there: it is still to be sent.
  private func holdsOnlyNewMail(_ record: MailboxRecord) throws -> Bool {
    let id = record.id
    guard !record.isDirty, !record.needsAdoption,
      try !context.state.hasPushSteps(to: id),
      try !context.state.holdsFiles(id) && context.state.surplus(in: id).isEmpty
        && context.folders.holds(record.folder)
    else { return false }
    return try context.folders.holdMail(record.folder)
  }
}
