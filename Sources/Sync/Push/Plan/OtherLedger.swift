import Ledger
import MailCore
import Maildir
import State

/// What another account has on record: its own messages. What cannot be read of it counts as not recorded.
final class OtherLedger {
  private let state: StateStore
  private let mailboxes: [MailboxRecord]
  /// `new` and `cur` of folders of which a push found every file on record, with their times at that moment.
  private let known: Set<Place>

  private struct Place: Hashable {
    var inode: UInt64
    var modified: Int64
  }

  init?(_ state: StateStore?) {
    guard let state else { return nil }
    self.state = state
    let all = (try? state.mailboxes()) ?? []
    mailboxes = all.filter { !$0.isGone }
    let homes = Set(mailboxes.filter { !$0.needsAdoption }.map(\.id))
    let scans = ((try? state.pushScans()) ?? []).filter {
      homes.contains($0.mailbox) && $0.newModified != 0
    }
    known = Set(
      scans.flatMap {
        [
          Place(inode: UInt64(bitPattern: $0.newInode), modified: $0.newModified),
          Place(inode: UInt64(bitPattern: $0.curInode), modified: $0.curModified),
        ]
      })
  }

  func shut() { state.shut() }

  /// Whether every file of the directory is on record, without a look into it.
  func provesKnown(_ place: MailBeside.Place) -> Bool {
    guard let facts = try? place.facts() else { return false }
    return known.contains(Place(inode: facts.inode, modified: facts.modified))
  }

  /// Hashes of the files' names.
  lazy var names: Set<NameHash> = {
    var names: Set<NameHash> = []
    for id in mailboxes.map(\.id) {
      // Of these the files are still to be unlinked.
      let gone = (try? state.uids(.expunged, in: id)) ?? UIDSet()
      try? state.forEachName(in: id) { uid, name in
        if uid.map(gone.contains) != true { names.insert(NameHash(of: name)) }
      }
    }
    return names
  }()

  /// Which of these contents it has whole.
  func contents(among hashes: Set<ContentHash>) -> Set<ContentHash> {
    var found: Set<ContentHash> = []
    for id in mailboxes.map(\.id) {
      found.formUnion(((try? state.contents(in: id, among: hashes)) ?? [:]).keys)
    }
    return found
  }

  /// Of mailboxes that hold files.
  var folders: [FolderPath] {
    mailboxes.filter { (try? state.holdsFiles($0.id)) == true }.map(\.folder)
  }
}
