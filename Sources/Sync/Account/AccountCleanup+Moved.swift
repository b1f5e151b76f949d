import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Messages that are gone from their mailbox, and whose files are gone from its folder: a person may have moved these
/// while the server moved the messages.
struct MovesOnBothSides {
  struct Place: Hashable {
    var folder: FolderPath
    var mailbox: String
  }
  let missing: [MessageRecord]
  /// Files in other folders that no record tells of and that hold one of `missing`, once they were needed.
  fileprivate var files: [UInt64: [(file: MessageFile, folder: FolderPath)]]?
  /// How many are in another folder here than on the server.
  fileprivate(set) var contested: [Place: Int] = [:]

  init(missing: [MessageRecord]) { self.missing = missing }
}

/// A move made here follows the message to where the server has it now, and wins (DESIGN section 6).
extension AccountCleanup {
  /// Makes the file that a person moved the one of the message that came to another mailbox: the next push finds it
  /// moved from there. The file that the pull made goes. Evidence is the content, of a message that came since this one
  /// was last seen in its mailbox.
  ///
  /// - Returns: nil where the file is nowhere, or stays as a local message of its own.
  func settle(_ record: MessageRecord, _ moves: inout MovesOnBothSides) throws -> Fate? {
    let arrivals = try arrivals(of: record)
    guard !arrivals.isEmpty || context.missesMailboxes else { return nil }
    let files = try moves.files ?? filesElsewhere(moves.missing)
    moves.files = files
    let places = files[record.contentHash] ?? []
    let name = RewrittenName.original(of: record.name)
    let choice = places.firstIndex { RewrittenName.original(of: $0.file.base) == name }
    guard let index = choice ?? places.indices.first else { return nil }
    let (file, path) = places[index]
    guard try !mayBeAnothers(file, record.contentHash) else { return nil }
    moves.files?[record.contentHash]?.remove(at: index)
    for (mailbox, copy) in arrivals where try give(copy, of: mailbox, to: file, at: path, record) {
      if !mailbox.lies(at: path) {
        moves.contested[.init(folder: path, mailbox: mailbox.name), default: 0] += 1
      }
      return .stays
    }
    return arrivals.isEmpty ? .waits : nil
  }

  /// Both sides wanted them elsewhere.
  func tell(of moves: MovesOnBothSides) {
    for (place, count) in moves.contested.sorted(by: { $0.key.mailbox < $1.key.mailbox }) {
      let what =
        count == 1 ? "1 message of this mailbox was" : "\(count) messages of this mailbox were"
      let (here, there) = (place.folder.text.visible, place.mailbox.visible)
      context.note(
        RunProblem(
          mailbox: mailbox.name,
          problem: what + " moved to “\(here)” here, and to “\(there)” on the server: "
            + "what was done here counts, and the next push does it there, too.",
          exitStatus: .done))
    }
  }

  /// Messages of this content in files that pulls made of them since every mailbox was last visited.
  private func arrivals(of record: MessageRecord) throws -> [(MailboxRecord, MessageRecord)] {
    let copies = try context.state.copies(ofContent: record.contentHash)
    guard !copies.isEmpty else { return [] }
    let mailboxes = try context.state.mailboxes()
    return copies.compactMap { place, copy in
      guard let mailbox = mailboxes.first(where: { $0.id == place }),
        copy.uid.rawValue > mailbox.settledCursor, copy.unappliedRemote == nil,
        let birth = BirthName(base: copy.name), birth.uid == copy.uid,
        birth.uidValidity.rawValue == mailbox.uidValidity, birth.isBorn(in: mailbox.mailboxName)
      else { return nil }
      // The server says that they are two.
      if let one = record.emailID, let other = copy.emailID, one != other { return nil }
      return (mailbox, copy)
    }
  }

  private func filesElsewhere(_ missing: [MessageRecord]) throws
    -> [UInt64: [(file: MessageFile, folder: FolderPath)]]
  {
    let wanted = WantedFiles(missing.map { MissingMessage(mailbox: mailboxID, record: $0) })
    let hashes = Dictionary(
      missing.map { ($0.contentHash, $0.headerHash) }, uniquingKeysWith: { first, _ in first })
    let owners = Dictionary(
      try context.state.mailboxes().filter { !$0.isGone }.map { (try $0.folderPath(), $0) },
      uniquingKeysWith: { $1 })
    var found: [UInt64: [(file: MessageFile, folder: FolderPath)]] = [:]
    let folders = try context.tree.readableFolders(context.policy.layout).folders
    for path in folders.compactMap({ context.foreseen.path(of: $0) }) where path != local.path {
      let owner = owners[path]
      // What a pull left half way may be a message of that mailbox.
      guard owner?.isSettled ?? true else { continue }
      let folder = try context.openFolder(path)
      var unknown: [MessageFile] = []
      try FolderScan.unknown(in: folder, known: owner?.id.map(context.state.hashesOfNames) ?? []) {
        unknown.append($0)
      }
      for file in unknown {
        do throws(MaildirError) {
          guard try wanted.mayBe(file, in: folder) else { continue }
          let digest = try folder.digest(of: file, policy: context.policy)
          guard hashes[digest.contentHash] == digest.headerHash else { continue }
          found[digest.contentHash, default: []].append((file, path))
        } catch {
          if error.stopsRun { throw error }  // Else it went away, or cannot be read.
        }
      }
    }
    return found
  }

  /// The message becomes a person's file, with the marks of both; the pull's own file of it goes first. Cut off in
  /// between, a push finds the message moved all the same, by its content.
  ///
  /// - Parameter record: what was known of the message that the file is.
  /// - Returns: false where either is not what it was.
  func give(
    _ copy: MessageRecord, of mailbox: MailboxRecord, to file: MessageFile, at path: FolderPath,
    _ record: MessageRecord
  ) throws -> Bool {
    guard let id = mailbox.id, let home = try context.folder(ofMailbox: id) else { return false }
    let place = try context.folder(at: path)
    let kept = try place.withFile(file.base, lastFlags: file.fileName.flags) { file in
      try home.withFile(copy.name, lastFlags: copy.agreed.flags) { twin -> MessageRecord? in
        let seen = try home.folder.facts(twin)
        // Letters mean something by the table of their folder, and may be about keywords of three.
        guard try !place.holdsAnother(file, record) && !home.holdsAnother(twin, copy),
          !context.policy.keywords.keepsLetters(for: copy.agreed, record)
        else { return nil }
        let mine = try marks(of: file, record, in: place)
        let wanted = MessageMarks.merged(
          agreed: record.agreed, local: mine, remote: try marks(of: twin, copy, in: home))
        var kept = try named(copy, file, mine, in: place)
        let facts = try place.folder.facts(file)
        let isOneFile = facts.inode == seen.inode && facts.device == seen.device
        if wanted != mine { try place.apply(wanted, over: mine, to: file, &kept) }
        // What is done to a file shows in the facts of its other name, too.
        try home.unlink(twin, asSeen: isOneFile ? home.folder.facts(twin) : seen)
        return kept
      } ?? nil
    }
    guard let kept = kept ?? nil else { return false }
    for folder in [place, home] { try folder.sync() }
    try context.state.transaction { try $0.put(kept, in: id) }
    context.noteChange()
    return true
  }

  private func named(
    _ copy: MessageRecord, _ file: MessageFile, _ marks: MessageMarks, in folder: LocalFolder
  ) throws -> MessageRecord {
    var record = copy
    record.name = file.base
    record.size = Int64(try folder.folder.facts(file).size)
    record.traits.remove(.hasKeywordsLine)
    if context.policy.keywords.line != nil,
      try !marks.keywords.isEmpty
        || folder.folder.localKeywords(of: file, policy: context.policy).own != nil
    {
      record.traits.insert(.hasKeywordsLine)
    }
    return record
  }
}
