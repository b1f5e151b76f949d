import Ledger
import MailCore

/// After a crash: moves that were under way where mailboxes are labels.
struct LabelRecovery: PushPart {
  let desk: PushDesk
  private var identities: LabelFinder { LabelFinder(desk: desk) }

  /// What a MOVE that was under way came to: the source tells whether it was carried out, the identity where to.
  func recover(_ steps: [PushStep], to target: MailboxKey) throws {
    for (mailbox, group) in steps.grouped(by: \.source?.mailbox) {
      // Of those that were renumbered meanwhile, or pulled, nothing is left to do.
      let sound = try journal.dropUnsound(group)
      guard !sound.isEmpty else { continue }
      try mailboxes.sparing(mailbox) {
        let uids = UIDSet(sound.compactMap(\.source?.uid))
        guard let present = try mailboxes.with(mailbox, { try $0.existing(uids) }) else { return }
        try journal.drop(sound.filter { $0.isFrom(present) })
        try finish(sound.filter { !$0.isFrom(present) }, mailbox, target)
      }
    }
  }

  private func finish(_ steps: [PushStep], _ mailbox: MailboxKey, _ target: MailboxKey) throws {
    guard !steps.isEmpty else { return }
    let wanted = steps.filter { !$0.record.name.isEmpty }.compactMap { step in
      guard let source = step.source else { return nil as MessageRecord? }
      var record = step.record
      record.uid = source.uid
      return record
    }
    let owners = try files.owners(of: steps, in: target)
    let places = try identities.find(wanted, in: target)
    for step in steps {
      guard let old = step.source?.uid else { continue }
      let isKnown =
        try owners.has(step)
        || identities.knownCopy(of: step.record, in: target) != nil
      try write { transaction in
        try transaction.removeStep(step.number)
        if step.record.name.isEmpty || isKnown {
          try transaction.remove(old, from: mailbox)
        } else if let place = places[old] {
          var record = step.record
          record.uid = place
          try transaction.remove(old, from: mailbox)
          try transaction.put(record, in: target)
        }
      }
    }
  }
}
