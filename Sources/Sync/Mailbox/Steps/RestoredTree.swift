import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// A tree that is matched anew, because it or the state came back from elsewhere.
struct RestoredTree {
  let mailbox: PulledMailbox

  /// A mailbox may have a folder that a pull would not give it: one that a person named, and a push made a mailbox of, or
  /// one whose name another system spells in its own way. What lies there is matched, not downloaded again.
  func findFolder() throws {
    let context = mailbox.context
    guard mailbox.record.needsAdoption, !mailbox.name.isInbox,
      try !context.folders.holds(mailbox.record.folder)
    else { return }
    let taken = Set(try mailbox.state.mailboxes().map(\.folder))
    let layout = try context.folders.layout()
    let prefix = try NamePrefix(mailbox.state)
    let found = try context.tree.readableFolders(mailbox.policy.layout).folders.first { path in
      // One that was spelled out is whole as it is; of others the accents may be put together otherwise.
      let name = layout.mailbox(at: path, delimiter: mailbox.record.delimiter?.first)
      let names = [name, name.map(prefix.full)].compactMap(\.self)
      return try (names + names.filter { !$0.isSpelled }.map(\.reading)).contains(mailbox.name)
        && !taken.contains(path)
        && context.folders.holds(path)
    }
    guard let found else { return }
    mailbox.record.folder = found
    try mailbox.saveRecord()
  }

  /// Records whose file is in no folder of the account, by its name, are forgotten, so that it is downloaded. Where the
  /// server has the message here no longer, a reader may have moved the file, and given it another name.
  ///
  /// - Parameter listed: what the server has, where it was asked for all.
  func forgetMissingFiles(in known: inout KnownMessages, listed: UIDSet?) throws {
    guard mailbox.record.needsAdoption else { return }
    try forgetMissingOrphans()
    guard !known.recorded.isEmpty else { return }
    let scan = try mailbox.local.scanned()
    var missing: [MessageRecord] = []
    var large: [MessageRecord] = []
    var elsewhere: [MessageRecord] = []
    try mailbox.state.forEachMessage(in: mailbox.id) { record in
      guard !record.isPruned else { return }
      if scan.find(base: record.name) != nil {
        if record.serverSize >= Self.smallestStub { large.append(record) }
        return
      }
      guard mailbox.context.elsewhere.contains(record.name) else { return missing.append(record) }
      var found = record
      found.traits.insert(.foundElsewhere)
      if found.traits != record.traits { elsewhere.append(found) }
    }
    if !elsewhere.isEmpty { try mailbox.save(elsewhere) }
    try followForms(of: large)
    guard !missing.isEmpty else { return }
    try mailbox.commit { transaction in
      for record in missing {
        try transaction.remove(record.uid, from: mailbox.id)
        guard let listed, !listed.contains(record.uid), let file = UndecidedFile(of: record) else {
          continue
        }
        try transaction.addUndecided(file, to: mailbox.id)
      }
    }
    known.recorded = known.recorded.subtracting(UIDSet(missing.map(\.uid)))
  }

  /// The same of the records of a mailbox that was renumbered as well, before any is matched: one that is found only by a
  /// later run, which knows nothing of the restore, would tell of a deletion.
  private func forgetMissingOrphans() throws {
    let orphans = try mailbox.state.orphans(in: mailbox.id).filter { !$0.isLeaving }
    guard !orphans.isEmpty else { return }
    let scan = try mailbox.local.scanned()
    var missing: [Int64] = []
    var undecided: [UndecidedFile] = []
    var elsewhere: [Int64] = []
    for orphan in orphans {
      guard let record = try mailbox.state.orphan(orphan.key, in: mailbox.id),
        scan.find(base: record.name) == nil
      else { continue }
      if mailbox.context.elsewhere.contains(record.name) {
        elsewhere.append(orphan.key)
      } else {
        missing.append(orphan.key)
        if let file = UndecidedFile(of: record) { undecided.append(file) }
      }
    }
    guard !missing.isEmpty || !elsewhere.isEmpty else { return }
    try mailbox.commit { transaction in
      for key in missing { try transaction.removeOrphan(key, from: mailbox.id) }
      for file in undecided { try transaction.addUndecided(file, to: mailbox.id) }
      for key in elsewhere { try transaction.setOrphanFoundElsewhere(key, of: mailbox.id) }
    }
  }

  /// Smaller messages hardly have parts that could stay on the server.
  private static let smallestStub: Int64 = 4096

  /// The ledger of an earlier day may take a stub for a whole message, or the reverse.
  private func followForms(of records: [MessageRecord]) throws {
    let local = try mailbox.local
    var changed: [MessageRecord] = []
    for var record in records {
      guard let file = try local.file(of: record) else {
        continue
      }
      do throws(MaildirError) {
        let size = Int64(try local.folder.facts(file).size)
        guard size != record.size else { continue }
        let digest = try local.folder.digest(of: file, policy: mailbox.policy)
        guard record.isOtherForm(digest) else { continue }
        record.follow(digest)
        record.size = size
        changed.append(record)
      } catch {
        if error.stopsRun { throw error }
      }
    }
    if !changed.isEmpty { try mailbox.save(changed) }
  }
}
