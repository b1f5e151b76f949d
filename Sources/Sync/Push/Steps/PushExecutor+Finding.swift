import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Messages that a step brought to a mailbox are found among those that came since.
extension PushExecutor {
  /// Where messages lie in a mailbox now, by step: among those that came since the steps began and that no record tells
  /// of, by header, and with `whole` by all of their content. Nil where the mailbox cannot be opened.
  func find(_ steps: [PushStep], in target: Int64, whole: Bool) throws -> [UInt32: UID]? {
    guard !steps.isEmpty else { return [:] }
    guard try open(target, asPlace: true) else { return nil }
    let label = policy.keywords.line?.name
    let wanted = Set(steps.map(\.record.headerHash)).subtracting([0])
    let uids = try fresh(since: steps, in: target)
    let shown = try remote.hashes(of: uids, whole: false, labelName: label)
    let headers = shown.filter { wanted.contains($0.value) }
    // Headers that occur once tell enough where nothing is expunged for it.
    let isPlain = Set(headers.values).count == headers.count
    let contents =
      whole || !isPlain
      ? try remote.contents(of: UIDSet(headers.keys.sorted()), labelName: label) : nil
    var free = headers.keys.sorted()
    var places: [UInt32: UID] = [:]
    for step in steps {
      let place = free.firstIndex { uid in
        headers[uid] == step.record.headerHash
          // What was adopted is known by its header: the file may hold a little more or less.
          && (contents == nil || step.record.contentHash == 0
            || step.record.traits.contains(.adopted)
            || contents?[uid]?.holds(step.record) == true)
      }
      if let place { places[step.number] = free.remove(at: place) }
    }
    if places.count < steps.count {
      try expectShown(uids, shown.keys, in: target)
      if let contents { try expectShown(UIDSet(headers.keys.sorted()), contents.keys, in: target) }
    }
    return places
  }

  /// What the server has and does not show may be what is looked for: it has not been found, nor is it not there.
  func expectShown(_ uids: UIDSet, _ shown: some Sequence<UID>, in mailbox: Int64) throws {
    let hidden = uids.subtracting(UIDSet(shown.sorted()))
    guard !hidden.isEmpty, let uid = try remote.existing(hidden).first else { return }
    throw SyncError.messageNotShown(
      records[mailbox]?.mailboxName ?? MailboxName("?", delimiter: nil), uid)
  }

  /// UIDs of the open mailbox that are new since the steps began and that no record tells of.
  func fresh(since steps: [PushStep], in mailbox: Int64) throws -> UIDSet {
    try remote.uids(from: firstUID(since: steps)).subtracting(try state.uids(.known, in: mailbox))
  }

  /// A server that was restored from a backup gives what is sent the UIDs of records that only pushes have made. What
  /// is there byte for byte as it was sent is no message of theirs.
  ///
  /// - Returns: the steps whose message is not there, either.
  func arrive(_ steps: [PushStep], atStaleRecordsOf mailbox: Int64) throws -> [PushStep] {
    guard !steps.isEmpty else { return [] }
    let first = max(1, firstUID(since: steps), records[mailbox]?.forwardCursor ?? 0)
    let known = try state.messages(in: mailbox, first...UInt32.max)
    let wanted = Set(steps.map(\.record.headerHash))
    let stale = try look(at: known, unconfirmedOnly: true, in: mailbox).differing
      .filter { wanted.contains($0.value.hash) }
    let label = policy.keywords.line?.name
    var free = try remote.contents(of: UIDSet(stale.keys.sorted()), labelName: label)
      .sorted { $0.key < $1.key }
    return try steps.filter { step in
      guard let place = free.firstIndex(where: { $0.value.holds(step.record) }) else { return true }
      let uid = free.remove(at: place).key
      try arrived(step, at: uid, identity: identityOnGmail(uid))
      setDate(ofFileOf: step)
      return false
    }
  }

  func firstUID(since steps: [PushStep]) -> UInt32 {
    let validity = remote.facts.uidValidity?.rawValue
    guard steps.allSatisfy({ $0.uidValidity == validity }) else { return 1 }
    return steps.map(\.uidNext).min() ?? 1
  }

  /// COPYUID and APPENDUID speak of the mailbox that the state knows; of one that was never opened they tell.
  func accepts(_ validity: UIDValidity, of mailbox: Int64) -> Bool {
    guard let record = records[mailbox] else { return false }
    return record.uidValidity == 0 || record.uidValidity == validity.rawValue
  }
}
