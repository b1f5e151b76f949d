import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Another machine pulled a message, a person moved or saved it there, and the tree was carried here: a file lay in
/// another folder, under a name that does not say which message it is, before a pull downloaded the message.
///
/// Such a file becomes the one of the message, and the next push finds it moved. Evidence is the content, that the file
/// is older than the download, since nobody can have copied what was not here yet, and that the message was not written
/// here. A person's own copy stays one: of its content more than one message is known, or was until this run.
struct CarriedArrivals {
  let context: AccountContext
  private let places: [CarriedFiles.Place]
  private let mailboxes: [MailboxRecord]

  /// Nil where nothing is to be looked at. What a run that misses mailboxes sees is no evidence.
  init?(_ carried: CarriedFiles?, context: AccountContext) throws {
    guard let carried, !context.isRehearsal, !context.missesMailboxes else { return nil }
    let failed = Set(try context.state.failures().map(\.mailbox))
    mailboxes = try context.state.mailboxes().filter {
      !$0.isGone && $0.isSettled && !failed.contains($0.id)
    }
    places = carried.places
    guard !places.isEmpty else { return nil }
    self.context = context
  }

  /// Before files of expunged messages go: what was known of these tells that a person may have copied them.
  func join() throws {
    let sizes = try sizesOfArrivals()
    guard !sizes.isEmpty else { return }
    let wanted = WantedFiles(sizes: sizes)
    for (path, files) in Dictionary(grouping: places, by: \.folder) {
      // Elsewhere, what lies there is nobody's message.
      guard let owner = mailboxes.first(where: { $0.folder == path }) else { continue }
      try context.sparing(owner.name) {
        let folder = try context.folders.local(at: path)
        for place in files {
          do {
            try join(place, in: folder, of: owner, wanted)
          } catch let error as MaildirError where !error.stopsRun {
            continue  // It went away, or cannot be read.
          }
        }
      }
    }
  }

  private func sizesOfArrivals() throws -> [Int64] {
    var sizes: [Int64] = []
    for mailbox in mailboxes where mailbox.settledCursor < .max {
      try context.state.forEachMessage(in: mailbox.id, (mailbox.settledCursor + 1)...UInt32.max) {
        if isDownloaded($0, mailbox) { sizes.append($0.size) }
      }
    }
    return sizes
  }

  /// By a pull, since every mailbox was last visited.
  private func isDownloaded(_ record: MessageRecord, _ mailbox: MailboxRecord) -> Bool {
    !record.isPruned && record.contentHash != .unknown && record.unappliedRemote == nil
      && !record.agreed.flags.contains(.deleted)
      && record.traits.isDisjoint(with: [.adopted, .expunged]) && mailbox.hasArrived(record)
  }

  private func join(
    _ place: CarriedFiles.Place, in folder: LocalFolder, of owner: MailboxRecord,
    _ wanted: WantedFiles
  ) throws {
    guard let file = try folder.withFile(place.file, { $0 }),
      try wanted.mayBe(file, in: folder.folder)
    else { return }
    let content = try folder.folder.digest(of: file, policy: context.policy).contentHash
    let copies = try context.state.copies(ofContent: content)
    guard copies.count == 1, try context.state.recordCount(ofContent: content) == 1,
      let one = copies.first,
      let mailbox = mailboxes.first(where: { $0.id == one.mailbox && $0.id != owner.id }),
      isDownloaded(one.message, mailbox), try !isKnown(file, owner),
      try isNoOriginal(file, in: folder, of: one.message),
      let home = try CleanedFolder(context: context, mailbox: mailbox),
      try !home.mayBeAnothers(file, content),
      try isOlder(file, in: folder, than: one.message, in: home.local)
    else { return }
    var found = one.message
    found.name = file.base
    found.agreed = MarkPlan.common(try folder.marks(of: file, found), one.message.agreed)
    _ = try home.give(one.message, of: mailbox, to: file, at: place.folder, found)
  }

  /// What a person wrote here may have been filed on the server by another program, too: it stays where it is. A name from
  /// a pull, a server that passed the message on (RFC 5321 §4.4), or the very date that the message was sent to the server
  /// with show that the file has come from elsewhere.
  private func isNoOriginal(
    _ file: MessageFile, in folder: LocalFolder, of message: MessageRecord
  ) throws -> Bool {
    if BirthName(base: file.base) != nil { return true }
    if try folder.folder.facts(file).modified / 1_000_000_000 == message.internalDate {
      return true
    }
    return try folder.header(of: file).map { HeaderFields.value("Received", in: $0) != nil }
      ?? false
  }

  /// Whether this run found the file to be a message of its folder's mailbox.
  private func isKnown(_ file: MessageFile, _ owner: MailboxRecord) throws -> Bool {
    return try context.state.hashesOfNames(in: owner.id).contains(file.baseHash)
  }

  private func isOlder(
    _ file: MessageFile, in folder: LocalFolder, than message: MessageRecord,
    in home: LocalFolder
  ) throws -> Bool {
    let downloaded = try home.withFile(of: message) {
      try home.folder.birthTime(of: $0)
    }
    guard let downloaded = downloaded ?? nil, let here = try folder.folder.birthTime(of: file)
    else { return false }
    return here < downloaded
  }
}
