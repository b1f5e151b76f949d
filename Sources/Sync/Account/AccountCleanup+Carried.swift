import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Another machine pulled a message, a person moved or saved it there, and the tree was carried here: a file lay in
/// another folder, under a name that does not say which message it is, before this run downloaded the message.
extension AccountCleanup {
  /// Makes such a file the one of the message: the next push finds it moved. Evidence is the content, of a message that
  /// this run downloaded, and of which no other message here is a copy: nobody can have copied it before it was here.
  func join(_ carried: CarriedFiles) throws {
    let arrivals = try context.state.messages(in: mailboxID).filter {
      carried.precede($0.uid, of: mailboxID) && isDownloaded($0)
    }
    guard !arrivals.isEmpty else { return }
    let wanted = WantedFiles(sizes: arrivals.map(\.size))
    for place in carried.unnamed where place.folder != local.path {
      try context.sparing(mailbox.name) { try join(place, arrivals, wanted, carried) }
    }
  }

  private func isDownloaded(_ record: MessageRecord) -> Bool {
    guard !record.isPruned, record.contentHash != 0, record.unappliedRemote == nil,
      record.traits.isDisjoint(with: [.adopted, .expunged]),
      let birth = BirthName(base: record.name)
    else { return false }
    return birth.uid == record.uid && birth.uidValidity.rawValue == mailbox.uidValidity
      && birth.isBorn(in: mailbox.mailboxName)
  }

  private func join(
    _ place: CarriedFiles.Place, _ arrivals: [MessageRecord], _ wanted: WantedFiles,
    _ carried: CarriedFiles
  ) throws {
    let folder = try context.folder(at: place.folder)
    let file = try folder.withFile(place.file.base, lastFlags: place.file.fileName.flags) { $0 }
    guard let file, try wanted.mayBe(file, in: folder.folder) else { return }
    let content = try folder.folder.digest(of: file, policy: context.policy).contentHash
    let copies = try context.state.copies(ofContent: content)
    guard
      let one = copies.first(where: { copy in
        copy.mailbox == mailboxID && arrivals.contains { $0.uid == copy.message.uid }
      }), copies.allSatisfy({ carried.precede($0.message.uid, of: $0.mailbox) }),
      try !isKnown(file, at: place.folder), try !mayBeAnothers(file, content)
    else { return }
    var found = one.message
    found.name = file.base
    found.agreed = MarkPlan.common(
      try marks(of: file, found, in: folder), one.message.agreed)
    _ = try give(one.message, of: mailbox, to: file, at: place.folder, found)
  }

  /// Whether this run found the file to be a message of its folder's mailbox.
  private func isKnown(_ file: MessageFile, at path: FolderPath) throws -> Bool {
    guard let owner = try context.state.mailboxes().first(where: { $0.lies(at: path) })?.id
    else { return false }
    return try context.state.hashesOfNames(in: owner).contains(file.baseHash)
  }
}
