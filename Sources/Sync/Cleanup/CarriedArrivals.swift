import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Another machine pulled a message, a person moved or saved it there, and the tree was carried here: a file lay in
/// another folder, under a name that does not say which message it is, before this run downloaded the message.
struct CarriedArrivals {
  let folder: CleanedFolder
  let carried: CarriedFiles
  private var context: AccountContext { folder.context }

  /// Makes such a file the one of the message: the next push finds it moved. Evidence is the content, of a message that
  /// this run downloaded, and of which no other message here is a copy: nobody can have copied it before it was here.
  func join() throws {
    let arrivals = try context.state.messages(in: folder.mailboxID).filter {
      carried.precede($0.uid, of: folder.mailboxID) && isDownloaded($0)
    }
    guard !arrivals.isEmpty else { return }
    let wanted = WantedFiles(sizes: arrivals.map(\.size))
    for place in carried.unnamed where place.folder != folder.local.path {
      try context.sparing(folder.mailbox.name) { try join(place, arrivals, wanted) }
    }
  }

  private func isDownloaded(_ record: MessageRecord) -> Bool {
    guard !record.isPruned, record.contentHash != 0, record.unappliedRemote == nil,
      record.traits.isDisjoint(with: [.adopted, .expunged]),
      let birth = BirthName(base: record.name)
    else { return false }
    return birth.uid == record.uid && birth.uidValidity.rawValue == folder.mailbox.uidValidity
      && birth.isBorn(in: folder.mailbox.mailboxName)
  }

  private func join(
    _ place: CarriedFiles.Place, _ arrivals: [MessageRecord], _ wanted: WantedFiles
  ) throws {
    let other = try context.folders.local(at: place.folder)
    let file = try other.withFile(place.file.base, lastFlags: place.file.fileName.flags) { $0 }
    guard let file, try wanted.mayBe(file, in: other.folder) else { return }
    let content = try other.folder.digest(of: file, policy: context.policy).contentHash
    let copies = try context.state.copies(ofContent: content)
    guard
      let one = copies.first(where: { copy in
        copy.mailbox == folder.mailboxID && arrivals.contains { $0.uid == copy.message.uid }
      }), copies.allSatisfy({ carried.precede($0.message.uid, of: $0.mailbox) }),
      try !isKnown(file, at: place.folder), try !folder.mayBeAnothers(file, content)
    else { return }
    var found = one.message
    found.name = file.base
    found.agreed = MarkPlan.common(
      try folder.marks(of: file, found, in: other), one.message.agreed)
    _ = try folder.give(one.message, of: folder.mailbox, to: file, at: place.folder, found)
  }

  /// Whether this run found the file to be a message of its folder's mailbox.
  private func isKnown(_ file: MessageFile, at path: FolderPath) throws -> Bool {
    guard let owner = try context.state.mailboxes().first(where: { $0.lies(at: path) })?.id
    else { return false }
    return try context.state.hashesOfNames(in: owner).contains(file.baseHash)
  }
}
