import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

extension MailboxRecord {
  /// What arrived before this moment may be unlinked; nil where nothing may: the server must still have it. Of a mailbox
  /// that is gone, or whose records come from a backup, that is not known.
  var prunableBefore: Int64? { isGone || needsAdoption ? nil : windowStart }
}

/// Files of messages that the window left behind.
struct WindowPruning {
  let folder: CleanedFolder
  /// Which mailboxes are mirrored.
  let folders: FolderPatterns
  private var local: LocalFolder { folder.local }

  /// What left the window: recorded as pruned, then unlinked; never while changed here, nor what the server may no longer
  /// have, nor while flagged, but where nothing is kept.
  func prune(before start: Int64) throws -> Int {
    var pruned = 0
    var leaving = UIDSet()
    let isShut = start == MailboxRecord.shutWindow
    let staying: MessageRecord.Traits =
      isShut ? [.expunged, .differs] : [.expunged, .differs, .outOfView, .kept]
    try folder.context.state.forEachMessage(in: folder.mailbox.id) { record in
      let isLeftover = record.isPruned && !record.name.isEmpty
      let isOld =
        !record.isPruned && record.internalDate < start
        && record.traits.isDisjoint(with: staying)
        && (isShut || !record.agreed.flags.contains(.flagged))
        && record.unappliedRemote == nil
      if isOld || isLeftover { leaving.insert(record.uid) }
    }
    let mirrored = isShut && !leaving.isEmpty ? try mirroredMailboxes() : []
    try folder.inBatches(leaving) { records in
      let ripe = try isShut ? records.filter { try !isAwaited($0, in: mirrored) } : records
      pruned += try prune(ripe, keepsNothing: isShut)
    }
    return pruned
  }

  private func prune(_ leaving: [MessageRecord], keepsNothing: Bool) throws -> Int {
    var seen: [UID: FileFacts] = [:]
    let unchanged = try leaving.filter { record in
      // A run that died left it.
      if record.isPruned { return true }
      seen[record.uid] =
        try local.withFile(of: record) { file in
          try factsIfAgreed(file, record)
        } ?? nil
      return seen[record.uid] != nil
    }
    guard !unchanged.isEmpty else { return 0 }
    try folder.write(unchanged) { $0.traits.insert(.pruned) }
    var staying: Set<UID> = []
    for record in unchanged {
      let isGone = try local.withFile(of: record) { file in
        var facts: FileFacts? = try local.folder.facts(file)
        if let now = facts, seen[record.uid].map({ now.isUntouched(since: $0) }) != true {
          facts = try factsIfAgreed(file, record)
        }
        guard let facts else { return false }
        try local.unlink(file, asSeen: facts)
        return true
      }
      if try isGone == false || isGone == nil && folder.isThere(record) {
        staying.insert(record.uid)
      }
    }
    try local.sync()
    if keepsNothing {
      // The message may come back there, and is another to the ledger then.
      try folder.forget(unchanged.filter { !staying.contains($0.uid) })
    }
    let known = unchanged.filter { !keepsNothing || staying.contains($0.uid) }
    try folder.write(known) { record in
      if staying.contains(record.uid) {
        record.traits.remove(.pruned)
      } else {
        record.traits.insert(.pruned)
        record.name = []
      }
    }
    return unchanged.count - staying.count
  }

  /// A deletion of the same message elsewhere, still to be pushed, must find that the person has put it here: else it
  /// would count as one of the last copy.
  private func isAwaited(_ record: MessageRecord, in mirrored: Set<MailboxKey>) throws -> Bool {
    guard !record.isPruned, let identity = record.identity else { return false }
    let context = folder.context
    return try context.state.copies(of: identity).contains { copy in
      let message = copy.message
      guard copy.mailbox != folder.mailbox.id, mirrored.contains(copy.mailbox), !message.isPruned,
        !message.name.isEmpty, message.traits.isDisjoint(with: [.expunged, .outOfView])
      else { return false }
      return try context.folders.file(of: message, in: copy.mailbox) == nil
    }
  }

  private func mirroredMailboxes() throws -> Set<MailboxKey> {
    Set(
      try folder.context.state.mailboxes().filter {
        !$0.isGone && MailboxCatalogue.isMirrored($0, folders)
      }.map(\.id))
  }

  /// Nil where a change waits for a push.
  private func factsIfAgreed(_ file: MessageFile, _ record: MessageRecord) throws -> FileFacts? {
    let facts = try local.folder.facts(file)
    return try local.isAsAgreed(file, record) ? facts : nil
  }
}
