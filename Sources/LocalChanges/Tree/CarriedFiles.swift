import Ledger
import MailCore
import Maildir
import State

/// Files that may be messages which no pull has seen, in another folder than their mailbox's: another machine pulled
/// these, a person moved them there, and the tree was carried here. Downloaded where it was born, such a message would be
/// there twice.
package struct CarriedFiles: Sendable {
  /// A file, and the folder that it lies in.
  package struct Place: Sendable {
    package let file: MessageFile
    package let folder: FolderPath
  }

  private var files: [(birth: BirthName, place: Place)] = []
  /// Files that are unknown to the ledger, and whose names do not say which message they are.
  private var unnamed: [Place] = []

  /// All of them.
  package var places: [Place] { files.map(\.place) + unnamed }

  /// Reads the names in folders that changed since the last whole pull began; in all of them where messages could not be
  /// pulled, of which a file may have been here for long.
  package init(tree: AccountTree, layout: LayoutStyle, state: StateStore) throws {
    let since = try state.account().wholePull
    let records = try state.mailboxes().filter { !$0.isGone && $0.uidValidity != 0 }
    let birthplaces = Dictionary(
      records.map { (BirthName.hash(of: $0.mailboxName), $0) }, uniquingKeysWith: { $1 })
    let homes = Dictionary(records.map { ($0.folder, $0) }, uniquingKeysWith: { $1 })
    // Of mailboxes where messages could not be pulled, those that were.
    var pulled: [MailboxKey: UIDSet] = [:]
    for failure in try state.failures() where failure.uid != nil && pulled[failure.mailbox] == nil {
      pulled[failure.mailbox] = try state.uids(.known, in: failure.mailbox)
    }
    func isUnseen(_ birth: BirthName, in mailbox: MailboxRecord) -> Bool {
      birth.uid.rawValue > mailbox.forwardCursor
        || pulled[mailbox.id]?.contains(birth.uid) == false
    }
    var others: [FolderPath] = []
    for path in try tree.readableFolders(layout).folders {
      do throws(MaildirError) {
        let folder = try MaildirFolder.open(path, in: tree)
        // The clock for files runs in steps.
        var isUnchanged = false
        if let since { isUnchanged = try folder.lastChange() / 1_000_000_000 < since - 2 }
        if isUnchanged, pulled.isEmpty { continue }
        let home = homes[path].map { BirthName.mark(of: $0.mailboxName) } ?? []
        var hasOthers = false
        try FolderScan.forEachFile(in: folder) { file in
          if Self.isNamed(file, home) { return }
          guard let birth = BirthName(base: file.base),
            let birthplace = birthplaces[birth.mailboxHash],
            birthplace.uidValidity == birth.uidValidity.rawValue, isUnseen(birth, in: birthplace)
          else {
            hasOthers = true
            return
          }
          files.append((birth, Place(file: file, folder: path)))
        }
        if hasOthers, !isUnchanged { others.append(path) }
      } catch {
        if error.stopsRun { throw error }  // Else it went away just now.
      }
    }
    try removeCopies(homes, birthplaces, state)
    for path in others { try addUnnamed(path, of: homes[path], tree, state) }
  }

  /// What is a message where it lies, and has a number that is not new, was copied from one that could not be pulled (after a
  /// restore that may have lost its own file), or moved there when the number was another message's.
  private mutating func removeCopies(
    _ homes: [FolderPath: MailboxRecord], _ birthplaces: [BirthName.MailboxHash: MailboxRecord],
    _ state: StateStore
  ) throws {
    func isEarlier(_ birth: BirthName) -> Bool {
      birthplaces[birth.mailboxHash].map {
        birth.uid.rawValue <= max($0.forwardCursor, $0.earlierNumbers)
      } ?? false
    }
    for path in Set(files.lazy.filter { isEarlier($0.birth) }.map(\.place.folder)) {
      guard let owner = homes[path] else { continue }
      var known: Set<NameHash> = []
      try state.forEachName(in: owner.id) { _, name in known.insert(NameHash(of: name)) }
      files.removeAll {
        $0.place.folder == path && isEarlier($0.birth) && known.contains($0.place.file.baseHash)
      }
    }
  }

  private static func isNamed(_ file: MessageFile, _ home: [UInt8]) -> Bool {
    !home.isEmpty && file.name.drop { $0 != UInt8(ascii: ".") }.starts(with: home)
  }

  private mutating func addUnnamed(
    _ path: FolderPath, of mailbox: MailboxRecord?, _ tree: AccountTree, _ state: StateStore
  ) throws {
    let home = mailbox.map { BirthName.mark(of: $0.mailboxName) } ?? []
    let carried = Set(files.lazy.filter { $0.place.folder == path }.map(\.place.file.baseHash))
    let names = try mailbox.map { try state.hashesOfNames(in: $0.id) } ?? []
    do throws(MaildirError) {
      try FolderScan.unknown(in: MaildirFolder.open(path, in: tree), known: names) { file in
        guard !Self.isNamed(file, home), !carried.contains(file.baseHash) else { return }
        unnamed.append(Place(file: file, folder: path))
      }
    } catch {
      if error.stopsRun { throw error }  // Else it went away just now.
    }
  }

  package func files(bornIn mailbox: MailboxName) -> [(MessageFile, FolderPath)] {
    files.filter { $0.birth.isBorn(in: mailbox) }.map { ($0.place.file, $0.place.folder) }
  }
}

extension StateStore {
  /// By hash, ascending, the names of all files that are known to be a message of the mailbox, or to repeat one.
  package func hashesOfNames(in mailbox: MailboxKey) throws(StateError) -> [NameHash] {
    var known = try surplus(in: mailbox).map(\.nameHash)
    try forEachName(in: mailbox) { _, name in known.append(NameHash(of: name)) }
    known.sortAscending()
    return known
  }
}
