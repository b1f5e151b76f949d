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

  /// What was found of records whose files are not in the folder.
  struct Missing {
    /// Messages that are to be fetched again.
    var forgotten = UIDSet()
    /// By their hashes, names of files of which it is undecided whose they are.
    var undecided: Set<NameHash> = []
  }

  /// Records whose files are nowhere in the account, by their names, are forgotten, so that the messages are downloaded.
  /// Those of others wait (``StrayMessages``).
  ///
  /// - Parameter listed: what the server has, where it was asked for all.
  func forgetMissingFiles(in known: inout KnownMessages, listed: UIDSet?) throws -> Set<NameHash> {
    guard mailbox.record.needsAdoption else { return [] }
    let elsewhere = mailbox.context.elsewhere
    let missing = try forgetMissing(listed: listed) {
      elsewhere.contains($0) ? .undecided : .nowhere
    }
    known.recorded = known.recorded.subtracting(missing.forgotten)
    try followForms()
    return missing.undecided
  }

  /// Records of numbers that the mailbox has no longer go the same way, before any is matched: one that is found only by
  /// a later run, which knows nothing of the restore, would tell of a deletion.
  ///
  /// - Parameters:
  ///   - names: of files, by their hashes, where not all are meant.
  ///   - place: where a file lies that is not in the folder. A record that has one is kept.
  func forgetMissing(
    listed: UIDSet? = nil, among names: Set<NameHash>? = nil,
    _ place: ([UInt8]) throws -> StrayFiles.Place
  ) throws -> Missing {
    let scan = try mailbox.local.scanned()
    func lacks(_ record: MessageRecord) -> Bool {
      scan.find(base: record.name) == nil && names?.contains(NameHash(of: record.name)) != false
    }
    var lacking: [MessageRecord] = []
    try mailbox.state.forEachMessage(in: mailbox.id) { record in
      if !record.isPruned, lacks(record) { lacking.append(record) }
    }
    var missing = Missing()
    func isLost(_ record: MessageRecord) throws -> Bool {
      switch try place(record.name) {
      case .nowhere: return true
      case .undecided: missing.undecided.insert(NameHash(of: record.name))
      case .at: break
      }
      return false
    }
    let messages = try lacking.filter(isLost)
    var orphans: [(key: Int64, record: MessageRecord)] = []
    for orphan in try mailbox.state.orphans(in: mailbox.id) where !orphan.isLeaving {
      guard let record = try mailbox.state.orphan(orphan.key, in: mailbox.id), lacks(record)
      else { continue }
      if try isLost(record) { orphans.append((orphan.key, record)) }
    }
    missing.forgotten = UIDSet(messages.map(\.uid))
    guard !messages.isEmpty || !orphans.isEmpty else { return missing }
    // Where the server has the message here no longer, a reader may have moved the file, and given it another name.
    let unlisted = messages.filter { listed?.contains($0.uid) == false } + orphans.map(\.record)
    try mailbox.commit { transaction in
      for record in messages { try transaction.remove(record.uid, from: mailbox.id) }
      for orphan in orphans { try transaction.removeOrphan(orphan.key, from: mailbox.id) }
      for file in unlisted.compactMap(UndecidedFile.init(of:)) {
        try transaction.addUndecided(file, to: mailbox.id)
      }
    }
    return missing
  }

  /// Smaller messages hardly have parts that could stay on the server.
  private static let smallestStub: Int64 = 4096

  /// The ledger of an earlier day may take a stub for a whole message, or the reverse.
  private func followForms() throws {
    let local = try mailbox.local
    var large: [MessageRecord] = []
    try mailbox.state.forEachMessage(in: mailbox.id) { record in
      if !record.isPruned, record.serverSize >= Self.smallestStub { large.append(record) }
    }
    var changed: [MessageRecord] = []
    for var record in large {
      guard let file = try local.file(of: record) else { continue }
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
