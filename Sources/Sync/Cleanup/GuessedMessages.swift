import Ledger
import MailCore
import State
import SyncPlan

/// Messages that an old state, or only their files' names, know of, and that the server does not show: the tree or its
/// state came from a backup. What another mailbox shows was moved there (``FoundElsewhere``). Of the rest many of the
/// oldest are out of view, as they would be had nothing been lost; others are local messages from now on, which the next
/// push sends.
struct GuessedMessages {
  let context: AccountContext

  /// Once every mailbox was looked into.
  func settle() throws {
    guard !context.missesMailboxes else { return }
    let hidden = try context.state.outOfView()
    for record in try context.state.mailboxes() {
      guard let id = record.id, hidden[id] != nil else { continue }
      let guessed = try context.state.uids(.guessed, in: id)
      if !guessed.isEmpty { try settle(guessed, in: record, id) }
    }
  }

  private func settle(_ guessed: UIDSet, in mailbox: MailboxRecord, _ id: Int64) throws {
    let stay = try outOfView(guessed, id)
    let local = guessed.subtracting(stay)
    try context.state.transaction { transaction in
      try transaction.forgetGuess(stay, in: id)
      for uid in local.uids { try transaction.remove(uid, from: id) }
      // The next push has to find them.
      if !local.isEmpty { try transaction.removeScan(of: id) }
    }
    context.noteChange()
    guard !local.isEmpty else { return }
    context.note(RunProblem(PullNotice.onlyHere(local.count), mailbox: mailbox.name))
    context.leavesPush = true
  }

  private func outOfView(_ guessed: UIDSet, _ id: Int64) throws -> UIDSet {
    let before = try context.state.uids(.outOfView, in: id).subtracting(guessed)
    func known(_ see: (ViewGuard.Known) -> Void) throws {
      try context.state.forEachMessage(in: id) { record in
        guard !record.traits.contains(.expunged), !before.contains(record.uid) else { return }
        see(
          ViewGuard.Known(
            uid: record.uid, date: record.internalDate,
            hasFile: !record.isPruned && !record.name.isEmpty))
      }
    }
    if context.viewIsPartial { return try ViewGuard.oldest(guessed, among: known) }
    let verdict = try ViewGuard.judge(
      guessed, of: id, already: before, earlier: [], among: known)
    return if case .outOfView(let uids) = verdict { uids } else { UIDSet() }
  }
}
