import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

extension AccountContext {
  /// Work on one mailbox or folder: what fails there is told, and the others go on.
  ///
  /// - Throws: only what concerns the whole run.
  func sparing(_ mailbox: String, _ work: () throws -> Void) throws {
    do {
      try work()
    } catch {
      guard case .mailbox = RunFailure(error) else { throw error }
      note(RunProblem(error, mailbox: mailbox))
    }
  }

  /// Opens a mailbox's folder, and makes what is missing of it.
  func makeFolder(of record: MailboxRecord) throws -> MaildirFolder {
    let path = try record.folderPath()
    if let id = record.id, try !holdsFolder(path), try state.holdsFiles(id) {
      if try tree.isBare(path) {
        throw SyncError.folderVanished(record.mailboxName, path: tree.path + "/" + path.text)
      }
      if !record.needsAdoption && !isRehearsal { try holdDeletions(of: id) }
    }
    if isRehearsal {
      return try holdsFolder(path) ? openFolder(path) : MaildirFolder.absent(path, in: tree)
    }
    let layout = Maildir.FolderLayout(style: policy.layout, traits: try tree.traits())
    return try MaildirFolder.create(
      path, in: tree, sideName: layout.needsSideName(path) ? record.name : nil,
      fsync: policy.fsync)
  }

  /// The folder is gone and is about to be made anew, which no push could see: that its messages are gone waits for a
  /// word (promise 4).
  private func holdDeletions(of id: Int64) throws {
    let uids = try state.uids(.withFiles, in: id)
    let hold = DeletionHold(
      mailbox: id, cause: .folder, count: uids.count, total: uids.count,
      uids: uids.isEmpty ? nil : uids)
    let before = try state.deletionHolds().first { $0.mailbox == id }
    guard before.map({ $0.uids != nil && $0.uids != hold.uids }) ?? true else { return }
    try state.transaction { try $0.put(hold, at: started) }
    noteChange()
  }

  /// The folder of a mailbox that is there; nil where it is not.
  func folder(ofMailbox id: Int64, isShared: Bool = false) throws -> LocalFolder? {
    guard let record = try state.mailboxes().first(where: { $0.id == id }) else { return nil }
    let path = try record.folderPath()
    guard try holdsFolder(path) else { return nil }
    return local(try openFolder(path), isShared: isShared)
  }

  func folder(at path: FolderPath) throws -> LocalFolder {
    local(try openFolder(path), isShared: true)
  }

  func local(_ folder: MaildirFolder, isShared: Bool = false) -> LocalFolder {
    LocalFolder(folder: folder, policy: policy, isShared: isShared, isRehearsal: isRehearsal)
  }

  /// Whether a whole Maildir lies there, or would.
  func holdsFolder(_ path: FolderPath) throws -> Bool {
    guard let place = foreseen.place(of: path) else { return false }
    return try MaildirFolder.exists(place, in: tree)
  }

  func openFolder(_ path: FolderPath) throws -> MaildirFolder {
    guard let place = foreseen.place(of: path) else {
      throw MaildirError.notMaildir(path: tree.path + "/" + path.text)
    }
    return try MaildirFolder.open(place, in: tree, as: path)
  }

  /// Gives a folder another place, with what is below it.
  func renameFolder(_ path: FolderPath, to target: FolderPath) throws(MaildirError) {
    guard isRehearsal else {
      return try tree.renameFolder(path, to: target, fsync: policy.fsync)
    }
    foreseeing { $0.move(path, to: target) }
  }

  /// Removes a folder that holds nothing; its directory stays where other folders are in it.
  func removeFolder(_ path: FolderPath) throws(MaildirError) {
    guard isRehearsal else { return try tree.clearFolder(path, fsync: policy.fsync) }
    guard let place = foreseen.place(of: path) else { throw .notMaildir(path: path.text) }
    try tree.checkClearable(place)
    foreseeing { $0.remove(path) }
  }

  /// Whether a folder lies there that a mailbox may have had before the state was lost.
  func wasFolder(_ path: FolderPath) throws -> Bool {
    try adoptsNewMailboxes && holdsFolder(path)
  }

  /// What the server lists, each mailbox with a name of its own.
  func named(_ listings: [MailboxListing], _ coding: MailboxNameCoding) throws -> [MailboxListing] {
    let records = try state.mailboxes()
    let isMatching = adoptsNewMailboxes || records.contains(where: \.needsAdoption)
    let delimiter = listings.lazy.compactMap(\.delimiter).first
    let kept = isMatching ? try spelledNames(delimiter) : []
    return MailboxNaming(coding, records: records, kept: kept).named(listings)
  }

  /// Names with levels that are spelled out, of mailboxes that have folders here.
  private func spelledNames(_ delimiter: Character?) throws -> Set<MailboxName> {
    let layout = Maildir.FolderLayout(style: policy.layout, traits: try tree.traits())
    let names = try tree.readableFolders(policy.layout).folders.map { path in
      layout.mailbox(
        at: path, delimiter: delimiter,
        sideName: layout.needsSideName(path) ? try openFolder(path).sideName : nil)
    }
    return Set(names.compactMap(\.self).filter(\.isSpelled))
  }

  /// Where in the account files with these base names (by hash) lie: one pass over all names.
  func places(ofFiles hashes: Set<UInt64>, except home: FolderPath) throws -> [UInt64: FolderPath] {
    var places: [UInt64: FolderPath] = [:]
    let folders = try tree.readableFolders(policy.layout).folders
    for path in folders.compactMap({ foreseen.path(of: $0) }) where path != home {
      try FolderScan.forEachFile(in: try openFolder(path)) { file in
        let hash = file.baseHash
        if hashes.contains(hash) { places[hash] = path }
      }
    }
    return places
  }

  /// Files that were born in this mailbox under this UIDVALIDITY and now lie in another folder: after a restore, without
  /// a state, or in a tree that another machine shares, they may be messages that a person moved.
  func bornElsewhere(_ mailbox: MailboxName, _ validity: UInt32, except home: FolderPath) throws
    -> [(MessageFile, FolderPath)]
  {
    if isAdopting {
      return try elsewhere.files(bornIn: mailbox, UIDValidity(validity), except: home)
    }
    return try carriedFiles().files(bornIn: mailbox)
  }
}

extension MailboxRecord {
  /// Whether a whole Maildir lies where it belongs.
  func hasFolder(in tree: AccountTree) throws -> Bool {
    try MaildirFolder.exists(folderPath(), in: tree)
  }
}
