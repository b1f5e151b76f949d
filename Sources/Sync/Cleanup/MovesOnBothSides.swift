import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Messages that are gone from their mailbox, and whose files are gone from its folder: a person may have moved these
/// while the server moved the messages. A move made here follows the message to where the server has it now, and wins.
struct MovesOnBothSides {
  private struct Place: Hashable {
    var folder: FolderPath
    var mailbox: String
  }
  let folder: CleanedFolder
  let missing: [MessageRecord]
  /// Files in other folders that no record tells of and that hold one of `missing`, once they were needed.
  private var files: [ContentHash: [(file: MessageFile, folder: FolderPath)]]?
  /// How many are in another folder here than on the server.
  private var contested: [Place: Int] = [:]

  private var context: AccountContext { folder.context }

  init(folder: CleanedFolder, missing: [MessageRecord]) {
    self.folder = folder
    self.missing = missing
  }

  /// Makes the file that a person moved the one of the message that came to another mailbox: the next push finds it
  /// moved from there. The file that the pull made goes. Evidence is the content, of a message that came since this one
  /// was last seen in its mailbox.
  ///
  /// - Returns: nil where the file is nowhere, or stays as a local message of its own.
  mutating func follow(_ record: MessageRecord) throws -> ExpungedFate? {
    let arrivals = try arrivals(of: record)
    guard !arrivals.isEmpty || context.missesMailboxes else { return nil }
    let files = try files ?? filesElsewhere()
    self.files = files
    let places = files[record.contentHash] ?? []
    let namesake = places.firstIndex { $0.file.stem == record.stem }
    guard let index = namesake ?? places.indices.first else { return nil }
    let (file, path) = places[index]
    guard try !folder.mayBeAnothers(file, record.contentHash) else { return nil }
    self.files?[record.contentHash]?.remove(at: index)
    for (mailbox, copy) in arrivals
    where try folder.give(copy, of: mailbox, to: file, at: path, record) {
      if mailbox.folder != path {
        contested[Place(folder: path, mailbox: mailbox.name), default: 0] += 1
      }
      return .stays
    }
    return arrivals.isEmpty ? .waits : nil
  }

  /// Both sides wanted them elsewhere.
  func tell() {
    for (place, count) in contested.sorted(by: { $0.key.mailbox < $1.key.mailbox }) {
      let what =
        count == 1 ? "1 message of this mailbox was" : "\(count) messages of this mailbox were"
      let (here, there) = (place.folder.text.visible, place.mailbox.visible)
      context.note(
        RunProblem(
          mailbox: folder.mailbox.name,
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
        copy.unappliedRemote == nil, mailbox.hasArrived(copy)
      else { return nil }
      // The server says that they are two.
      if let one = record.identity, let other = copy.identity, one != other { return nil }
      return (mailbox, copy)
    }
  }

  private func filesElsewhere() throws -> [ContentHash: [(file: MessageFile, folder: FolderPath)]] {
    let wanted = WantedFiles(missing.map { MissingMessage(mailbox: folder.mailbox.id, record: $0) })
    let hashes = Dictionary(
      missing.map { ($0.contentHash, $0.headerHash) }, uniquingKeysWith: { first, _ in first })
    let owners = Dictionary(
      try context.state.mailboxes().filter { !$0.isGone }.map { ($0.folder, $0) },
      uniquingKeysWith: { $1 })
    var found: [ContentHash: [(file: MessageFile, folder: FolderPath)]] = [:]
    for path in try context.folders.all()
    where path != folder.local.path {
      let owner = owners[path]
      // What a pull left half way may be a message of that mailbox.
      guard owner?.isSettled ?? true else { continue }
      let other = try context.folders.open(path)
      let known = try owner.map { try context.state.hashesOfNames(in: $0.id) } ?? []
      for file in try other.files(besides: known) {
        do throws(MaildirError) {
          guard try wanted.mayBe(file, in: other) else { continue }
          let digest = try other.digest(of: file, policy: context.policy)
          guard hashes[digest.contentHash] == digest.headerHash else { continue }
          found[digest.contentHash, default: []].append((file, path))
        } catch {
          if error.stopsRun { throw error }  // Else it went away, or cannot be read.
        }
      }
    }
    return found
  }
}
