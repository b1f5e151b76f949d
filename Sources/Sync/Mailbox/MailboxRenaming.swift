import IMAPWire
import MailCore
import Maildir
import State

/// Whether a mailbox under a new name is the one that had the old name, by the headers of its newest messages.
struct MailboxIdentity {
  let context: AccountContext
  let record: MailboxRecord

  /// - Parameter isOnlyOne: no other mailbox of the account, known or listed, has this UIDVALIDITY.
  func matches(_ listing: MailboxListing, _ remote: IMAPRemoteMailbox, isOnlyOne: Bool) throws
    -> Bool
  {
    guard let id = record.id else { return false }
    let known = try context.state.uids(.known, in: id).splitNewest(10).newest
    var hashes: [UID: UInt64] = [:]
    for range in known.ranges {
      for message in try context.state.messages(in: id, range) where message.headerHash != 0 {
        hashes[message.uid] = message.headerHash
      }
    }
    guard !hashes.isEmpty else { return false }
    let probe = HeaderProbe(labelName: context.policy.keywords.line?.name)
    var request: FetchRequest? = FetchRequest(.headers, UIDSet(hashes.keys.sorted()))
    let target = MailboxTarget(
      name: listing.name, rawName: listing.rawName, uidValidity: UIDValidity(record.uidValidity))
    try remote.fetch(
      opening: target,
      next: {
        defer { request = nil }
        return request
      }, into: probe)
    // Some may have been expunged since; what is there must be the same. Where nothing is there any more, only a
    // UIDVALIDITY that no other mailbox shares can tell; small numbers are shared by chance.
    if probe.hashes.isEmpty { return isOnlyOne && record.uidValidity > 1_000_000 }
    return probe.hashes.allSatisfy { hashes[$0.key] == $0.value }
  }
}

/// Hashes the headers it is sent.
final class HeaderProbe: FetchSink {
  private(set) var hashes: [UID: UInt64] = [:]
  private var header: [UInt8] = []
  private let labelName: String?

  init(labelName: String?) { self.labelName = labelName }

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) { header = [] }

  func bytes(_ bytes: UnsafeRawBufferPointer) {
    if header.count < MessageSink.longestHeader { header.append(contentsOf: bytes) }
  }

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    guard hasBytes else { return }
    hashes[message.uid] = header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: labelName).headerHash
    }
  }

  func spoilt(uid: UID?, because reason: String) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}

/// Mailboxes that the server renamed: their folders follow, with the folders below them.
struct MailboxRenaming {
  let context: AccountContext
  /// Those that are still to follow: until then their folders go along with the ones above them.
  private var pending: Set<Int64> = []

  init(context: AccountContext) { self.context = context }

  /// Carries out all renames of a run; where two mailboxes took over each other's names, one steps aside first.
  mutating func follow(_ renames: [(record: MailboxRecord, listing: MailboxListing)]) throws
    -> [MailboxOutcome]
  {
    pending = Set(renames.compactMap(\.record.id))
    var outcomes: [MailboxOutcome] = []
    var left = renames.sorted { $0.record.name < $1.record.name }
    while !left.isEmpty {
      let names = Set(left.map(\.record.mailboxName))
      guard let free = left.firstIndex(where: { !names.contains($0.listing.name) }) else {
        try stepAside(&left[0].record)
        continue
      }
      let (record, listing) = left.remove(at: free)
      if let id = record.id { pending.remove(id) }
      var outcome = MailboxOutcome(mailbox: listing.name.text)
      outcome.renamedFrom = renames.first { $0.record.id == record.id }?.record.name
      // An earlier rename of this run may have carried this one's folder along.
      let current = try context.state.mailboxes().first { $0.id == record.id } ?? record
      try follow(current, to: listing)
      outcomes.append(outcome)
    }
    return outcomes
  }

  private func stepAside(_ record: inout MailboxRecord) throws {
    var aside = try context.state.mailboxes().first { $0.id == record.id } ?? record
    let old = try aside.folderPath()
    // The same on every try: a crash in the middle finds the folder again.
    let name = try context.unusedName("\(aside.name) (renamed \(aside.id ?? 0))")
    let layout = Maildir.FolderLayout(
      style: context.policy.layout, traits: try context.tree.traits())
    let new = layout.path(of: MailboxName(name, delimiter: aside.delimiter?.first))
    try moveFolder(from: old, to: new)
    try save(&aside, name: name, old, new)
    record = aside
  }

  /// The mailbox that had the new name before is gone from the server: what is left of it here makes room.
  func clear(_ name: MailboxName) throws {
    guard var gone = try context.state.mailboxes().first(where: { $0.mailboxName == name }) else {
      return
    }
    let old = try gone.folderPath()
    try context.retire(&gone)
    do throws(MaildirError) {
      try context.removeFolder(old)
    } catch {
      if error.stopsRun { throw error }
    }
    let new = try gone.folderPath()
    if try context.holdsFolder(old) {
      try moveFolder(from: old, to: new)
      context.note(
        RunProblem(
          mailbox: name.text,
          problem: "The server no longer has this mailbox; its folder stays here as “\(new.text)”.",
          exitStatus: .done))
    }
    // Also where nothing was moved: a run that was cut off may have done it.
    try save(&gone, name: gone.name, old, new)
  }

  private func follow(_ record: MailboxRecord, to listing: MailboxListing) throws {
    try clear(listing.name)
    let layout = Maildir.FolderLayout(
      style: context.policy.layout, traits: try context.tree.traits())
    var kept: [MailboxName: FolderPath] = [:]
    for other in try context.state.mailboxes() where other.id != record.id {
      kept[other.mailboxName] = try other.folderPath()
    }
    let new =
      layout.assign([listing.name], keeping: kept)[listing.name] ?? layout.path(of: listing.name)
    var renamed = record
    // No directory can be put into itself.
    if try new.isInside(record.folderPath()) && new != record.folderPath() {
      try stepAside(&renamed)
    }
    let old = try renamed.folderPath()
    try moveFolder(from: old, to: new)
    renamed.rawName = listing.rawName
    renamed.delimiter = listing.delimiter.map(String.init)
    try save(&renamed, name: listing.name.text, old, new)
  }

  /// A crash after the rename leaves the folder at its new place and the record at the old: then only the record goes.
  private func moveFolder(from old: FolderPath, to new: FolderPath) throws {
    guard old != new, try context.holdsFolder(old) else { return }
    do throws(MaildirError) {
      try context.renameFolder(old, to: new)
    } catch {
      guard case .nameTaken = error else { throw error }
      // A folder is there already (another mailbox's parent, or a person's own): the messages move into it.
      let source = try MaildirFolder.open(old, in: context.tree)
      let target = try MaildirFolder.create(new, in: context.tree, fsync: context.policy.fsync)
      var files: [MessageFile] = []
      try FolderScan.forEachFile(in: source) { files.append($0) }
      // A keyword without a letter there stays agreed, and is taken off by nobody.
      for file in files {
        _ = try source.move(file, to: target, policy: context.policy, dropsLetters: true)
      }
      if context.policy.fsync {
        try target.syncDirectories()
        try source.syncDirectories()
      }
      // Stays where something is in it.
      try? context.removeFolder(old)
    }
  }

  private func save(
    _ record: inout MailboxRecord, name: String, _ old: FolderPath, _ new: FolderPath
  ) throws {
    let below = try takenAlong(by: record, from: old, to: new)
    record.name = name
    record.folder = new.text
    record.newModified = 0
    record.curModified = 0
    var saved = record
    try context.state.transaction { transaction in
      try transaction.save(&saved)
      for var other in below { try transaction.save(&other) }
    }
    record = saved
    context.noteChange()
  }

  /// Mailboxes below whose folders went along. What the server has under its old name still gets its folder back.
  private func takenAlong(by record: MailboxRecord, from old: FolderPath, to new: FolderPath) throws
    -> [MailboxRecord]
  {
    guard !old.components.isEmpty, old != new else { return [] }
    var taken: [MailboxRecord] = []
    for var other in try context.state.mailboxes() where other.id != record.id {
      let home = try other.folderPath()
      guard home != old, home.isInside(old), try !context.holdsFolder(home),
        let place = FolderPath(
          components: new.components + home.components.dropFirst(old.components.count))
      else { continue }
      guard try context.holdsFolder(place) else { continue }
      if !other.isGone, !pending.contains(other.id ?? 0) {
        if (try? context.renameFolder(place, to: home)) != nil { continue }
      }
      other.folder = place.text
      taken.append(other)
    }
    return taken
  }
}
