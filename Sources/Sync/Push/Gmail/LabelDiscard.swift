import IMAPWire
import Ledger
import MailCore

/// What was copied on or replaced goes from its old place. Copied, it is the same message there; replaced by a newer
/// draft, it is another.
struct LabelDiscard: RemovalWay, PushPart {
  let desk: PushDesk
  let homes: LabelHomes
  let trash: TrashMailbox
  private var expunger: Expunger { Expunger(desk: desk) }

  /// Takes messages out of their mailbox for which there are `copied` steps.
  func remove(_ uids: UIDSet, in mailbox: MailboxKey) throws -> Removal {
    // Elsewhere \Deleted only takes a label off: what is to be gone goes by way of the trash.
    if known.gmailLabels.use(mailbox, .trash) { return try expunger.remove(uids, in: mailbox) }
    let steps = try journal.steps {
      $0.isCopied && $0.source?.mailbox == mailbox && $0.isFrom(uids)
    }
    let copied = steps.filter { $0.target != mailbox }
    let elsewhere = UIDSet(copied.compactMap(\.source?.uid).sorted())
    let left = try leave(copied, in: mailbox)
    let replaced = uids.subtracting(elsewhere)
    guard !replaced.isEmpty else { return left }
    let newer = UIDSet(
      steps.filter { $0.isFrom(replaced) }.compactMap(\.place).sorted())
    let gone = try discard(replaced, replacedBy: newer, in: mailbox)
    return (left.done.union(gone.done), left.refusal ?? gone.refusal)
  }

  /// Only the label goes: Trash would take the message from where it was copied to, as well. And only where the copy is
  /// to be seen.
  private func leave(_ steps: [PushStep], in mailbox: MailboxKey) throws -> Removal {
    guard !steps.isEmpty else { return (UIDSet(), nil) }
    var seen: [UInt32: String] = [:]
    for (target, group) in steps.grouped(by: \.target) {
      let copies = UIDSet(group.compactMap(\.place).sorted())
      let facts = try mailboxes.with(target, asPlace: true) { try $0.gmailFacts(of: copies) }
      for step in group { seen[step.number] = step.place.flatMap { facts?[$0]?.identity } }
    }
    let uids = UIDSet(steps.compactMap(\.source?.uid).sorted())
    let look = try mailboxes.with(mailbox) { open in
      let present = try open.existing(uids)
      return (present, try open.gmailFacts(of: present))
    }
    guard let (present, facts) = look else { return (UIDSet(), nil) }
    let sound = steps.filter { step in
      step.source.flatMap { facts[$0.uid] }.map { $0.identity == seen[step.number] } ?? false
    }
    let messages = try sound.compactMap { step in
      try step.source.flatMap { try state.message(in: mailbox, $0.uid) }
    }
    let left = try LabelRemoval(desk: desk, homes: homes).takeOff(messages, in: mailbox).map(\.uid)
    let done = uids.subtracting(present).union(UIDSet(left.sorted()))
    let hidden = steps.count - sound.count - uids.subtracting(present).count
    return (
      done, hidden > 0 ? TaggedResult(status: .no, text: "the copies are not to be seen yet") : nil
    )
  }

  /// By way of Trash, and for good.
  private func discard(_ uids: UIDSet, replacedBy newer: UIDSet, in mailbox: MailboxKey) throws
    -> Removal
  {
    let all = uids.union(newer)
    guard let facts = try mailboxes.with(mailbox, { try $0.gmailFacts(of: all) }) else {
      return (UIDSet(), nil)
    }
    guard newer.uids.allSatisfy({ facts[$0] != nil }) else {
      return (UIDSet(), TaggedResult(status: .no, text: "the new message is not to be seen yet"))
    }
    // What Gmail took for the same message is the same: nothing of it may go.
    let kept = Set(newer.uids.compactMap { facts[$0]?.identity })
    let old = facts.filter { uids.contains($0.key) && !kept.contains($0.value.identity) }
    guard !old.isEmpty else { return (uids, nil) }
    guard let trash = try trash.mailbox(), let raw = known.records[trash]?.rawName, remote.canMove
    else {
      return (UIDSet(), TaggedResult(status: .no, text: "Gmail does not show its Trash over IMAP"))
    }
    var places = UIDSet()
    var still = UIDSet()
    let refusal = try mailboxes.with(mailbox) { open -> TaggedResult? in
      for chunk in open.chunks(UIDSet(old.keys.sorted()), besides: 300) {
        let answers = try open.run([.uidMove(chunk, to: raw), session.look(for: chunk)])
        let result = try answers.result(0)
        guard result.isOK else { return result }
        still = still.union((answers.found[1] ?? UIDSet()).intersection(chunk))
        for copy in answers.places(0, if: { known.accepts($0, of: trash) })
        where old[copy.source] != nil {
          places.insert(copy.destination)
        }
      }
      return nil
    }
    if let refusal = refusal ?? nil { return (UIDSet(), refusal) }
    try mailboxes.sparing(trash) {
      try purge(places, of: Set(old.values.map(\.identity)), in: trash)
    }
    return (uids.subtracting(still), still.isEmpty ? nil : .stillThere(still.count))
  }

  /// Expunges from Trash what was just moved there, and is still the same.
  func purge(_ uids: UIDSet, of identities: Set<String>, in trash: MailboxKey) throws {
    guard !uids.isEmpty else { return }
    try mailboxes.with(trash, asPlace: true) { open in
      let facts = try open.gmailFacts(of: uids)
      let same = UIDSet(facts.filter { identities.contains($0.value.identity) }.map(\.key))
      if let refusal = try expunger.remove(same, in: trash, open).refusal {
        tell(
          trash,
          "The server refuses to expunge \(same.count) messages from Trash"
            + "\(refusal.quoted); they stay there.", exitStatus: .done)
      }
    }
  }
}
