import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// Finds messages that a step brought to a mailbox among those that came since.
struct MessageFinder: PushPart {
  let desk: PushDesk

  /// Where messages lie in a mailbox now, by step: among those that came since the steps began and that no record tells
  /// of, by header, and with `whole` by all of their content. Nil where the mailbox cannot be opened.
  func find(_ steps: [PushStep], in target: MailboxKey, whole: Bool) throws -> [UInt32: UID]? {
    guard !steps.isEmpty else { return [:] }
    return try mailboxes.with(target, asPlace: true) { open in
      let wanted = Set(steps.map(\.record.headerHash)).subtracting([.unknown])
      let uids = try fresh(since: steps, in: target, open)
      let shown = try open.headers(of: uids).mapValues(\.headerHash)
      let headers = shown.filter { wanted.contains($0.value) }
      // Headers that occur once tell enough where nothing is expunged for it.
      let isPlain = Set(headers.values).count == headers.count
      let contents =
        whole || !isPlain ? try open.contents(of: UIDSet(headers.keys.sorted())) : nil
      var free = headers.keys.sorted()
      var places: [UInt32: UID] = [:]
      for step in steps {
        let place = free.firstIndex { uid in
          headers[uid] == step.record.headerHash
            // What was adopted is known by its header: the file may hold a little more or less.
            && (contents == nil || step.record.contentHash == .unknown
              || step.record.traits.contains(.adopted)
              || contents?[uid]?.holds(step.record) == true)
        }
        if let place { places[step.number] = free.remove(at: place) }
      }
      if places.count < steps.count {
        try expectShown(uids, shown.keys, in: target, open)
        if let contents {
          try expectShown(UIDSet(headers.keys.sorted()), contents.keys, in: target, open)
        }
      }
      return places
    }
  }

  /// What the server has and does not show may be what is looked for: it has not been found, nor is it not there.
  func expectShown(
    _ uids: UIDSet, _ shown: some Sequence<UID>, in mailbox: MailboxKey,
    _ open: borrowing OpenMailbox
  ) throws {
    let hidden = uids.subtracting(UIDSet(shown.sorted()))
    guard !hidden.isEmpty, let uid = try open.existing(hidden).first else { return }
    throw SyncError.messageNotShown(
      known.records[mailbox]?.mailboxName ?? MailboxName("?", delimiter: nil), uid)
  }

  /// UIDs that are new since the steps began and that no record tells of.
  func fresh(since steps: [PushStep], in mailbox: MailboxKey, _ open: borrowing OpenMailbox) throws
    -> UIDSet
  {
    try open.uids(from: firstUID(since: steps, open.facts))
      .subtracting(state.uids(.known, in: mailbox))
  }

  func firstUID(since steps: [PushStep], _ facts: SelectedMailbox) -> UInt32 {
    let validity = facts.uidValidity?.rawValue
    guard steps.allSatisfy({ $0.uidValidity == validity }) else { return 1 }
    return steps.map(\.uidNext).min() ?? 1
  }
}

extension PushPart {
  var finder: MessageFinder { MessageFinder(desk: desk) }
}
