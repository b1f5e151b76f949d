import Ledger
import MailCore
import Remote

/// Messages that were copied on, and drafts that were replaced, go from their old places when the new ones are confirmed
/// (promise 5).
struct CopiedSources: PushPart {
  let desk: PushDesk
  let removal: any RemovalWay
  private var check: UIDCheck { UIDCheck(desk: desk) }

  /// Expunges the sources of all confirmed copies and replaced drafts.
  func finish() throws {
    let steps = try journal.steps(\.isCopied)
    for (mailbox, group) in steps.grouped(by: \.source?.mailbox) {
      try context.checkInterrupt()
      guard let record = known.records[mailbox], !record.isGone else {
        try journal.drop(group)
        continue
      }
      if try refusals.isGivenUp(mailbox, .deletions) { continue }
      try mailboxes.sparing(mailbox) {
        if try mailboxes.opens(mailbox) { try finish(group, in: mailbox) }
      }
    }
  }

  private func finish(_ steps: [PushStep], in mailbox: MailboxKey) throws {
    let steps = try journal.dropUnsound(steps)
    let sound = try mailboxes.with(mailbox) { try stillThere(steps, $0) } ?? []
    guard !sound.isEmpty else { return }
    let (done, refusal) = try removal.remove(UIDSet(sound.compactMap(\.source?.uid)), in: mailbox)
    try write { transaction in
      for step in sound {
        guard let uid = step.source?.uid, done.contains(uid) else { continue }
        try transaction.removeStep(step.number)
        // Without UIDPLUS it stays there, marked; it is known, and not kept here.
        if remote.canExpunge { try transaction.remove(uid, from: mailbox) }
      }
      try known.forgetCount(of: mailbox, transaction)
    }
    guard let refusal else { return }
    try refusal.stopIfThrottled()
    if refusal.code == .noPermission { try refusals.refuse(mailbox, .deletions, refusal.text) }
    tell(
      mailbox,
      "The server refuses to expunge \(Quantities.count(sound.count, "message")) moved on or "
        + "replaced\(refusal.quoted).", remedy: "It is tried again on the next push.")
  }

  /// What is to be expunged must be the message that was meant. Looked at are what an earlier run left, and drafts; a
  /// message that this run copied was looked at before.
  private func stillThere(_ steps: [PushStep], _ open: borrowing OpenMailbox) throws -> [PushStep] {
    let doubtful = steps.filter { step in
      guard let source = step.source, source.headerHash != .unknown else { return false }
      return !journal.wasBegunHere(step) || source.mailbox == step.target
    }
    guard !doubtful.isEmpty else { return steps }
    let uids = try open.existing(UIDSet(doubtful.compactMap(\.source?.uid)))
    let headers = try open.headers(of: uids)
    var others: [PushStep] = []
    var left = Set(steps.map(\.number))
    for step in doubtful {
      guard let source = step.source, uids.contains(source.uid) else { continue }
      guard let found = headers[source.uid] else {
        // It is there, and not shown: it waits for the next push.
        left.remove(step.number)
        continue
      }
      if found.headerHash == source.headerHash { continue }
      // The server may have rewritten it; what replaces it has its Message-ID.
      if journal.wasBegunHere(step), let old = try journal.source(of: step) {
        let identity = try files.messageID(of: step)
        if !check.isAnother(found, to: old, messageID: identity, in: source.mailbox) { continue }
      }
      others.append(step)
    }
    left.subtract(others.map(\.number))
    try leaveAlone(others)
    return steps.filter { left.contains($0.number) }
  }

  private func leaveAlone(_ others: [PushStep]) throws {
    guard let mailbox = others.first?.source?.mailbox else { return }
    tell(
      mailbox,
      others.count == 1
        ? "1 message is not what it was when it was moved on: left alone."
        : "\(others.count) messages are not what they were when they were moved on: left alone.",
      remedy: "The next pull brings what is there.")
    try journal.drop(others)
    // The records that hide them are of what was meant.
    try check.forget(Set(others.compactMap(\.source?.uid)), in: mailbox)
  }
}
