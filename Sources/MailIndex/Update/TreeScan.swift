import GRDB
import MailCore
import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder of the tree beside its row in the index.
struct IndexedFolder: Sendable {
  let mailbox: Int64
  let account: Int64
  let accountName: String
  let path: FolderPath
  /// As people see it.
  let name: String
  let isSent: Bool
  /// What the index remembers; nothing is known unchanged by an empty one.
  let stamp: FolderStamp
}

/// What the directories hold, compared with what the index has: nothing is opened but directories.
struct TreeScan {
  /// Folders that were looked into, with the stamp to remember when all is done; nil where the
  /// folder never rested: it is read again next time.
  private(set) var folders: [(folder: IndexedFolder, stamp: FolderStamp?)] = []
  private(set) var found: FoundFiles
  /// Whether there were any, once they were taken.
  private(set) var hasFound = false
  /// Rows whose file is in its place no more.
  private(set) var gone: [Gone] = []
  private(set) var problems: [IndexProblem] = []
  /// Entries of the directories that were read.
  private(set) var filesSeen = 0

  struct Gone {
    let id: Int64
    let inode: Int64
    /// Place in `folders`.
    let folder: Int32
  }

  let directory: String

  /// - Parameter directory: for what does not fit into memory.
  init(in directory: String) {
    self.directory = directory
    found = FoundFiles(in: directory)
  }

  /// What was found goes over to the caller.
  mutating func takeFound() throws(IndexError) -> FoundList {
    hasFound = found.count > 0
    var found = FoundFiles(in: directory)
    swap(&found, &self.found)
    return try found.list()
  }

  /// Looks into one folder, as far as its directories changed.
  mutating func look(into folder: IndexedFolder, of tree: MailTree, _ store: IndexStore, all: Bool)
    throws(IndexError)
  {
    guard let (open, changed) = changed(folder, of: tree, all: all) else { return }
    if try compare(open, folder, store, changed) { return }
    _ = try compare(open, folder, store, Set(Subdirectory.allCases))
  }

  /// The folder opened, and which of its directories changed; nil when neither did, or it cannot be read.
  private mutating func changed(_ folder: IndexedFolder, of tree: MailTree, all: Bool)
    -> (MaildirFolder, Set<Subdirectory>)?
  {
    do throws(MaildirError) {
      let open = try tree.open(folder.path)
      let stamp = try open.stamp()
      let changed = Subdirectory.allCases.filter {
        all || !stamp.provesUnchanged($0, since: folder.stamp)
      }
      return changed.isEmpty ? nil : (open, Set(changed))
    } catch {
      problems.append(IndexProblem(path: folder.path.text, error: error))
      return nil
    }
  }

  /// - Returns: false where a directory that was passed over changed meanwhile: then all are to be read.
  private mutating func compare(
    _ open: MaildirFolder, _ folder: IndexedFolder, _ store: IndexStore,
    _ subdirectories: Set<Subdirectory>
  ) throws(IndexError) -> Bool {
    let known = try store.read { try KnownFiles($0, mailbox: folder.mailbox, subdirectories) }
    do throws(MaildirError) {
      return try compare(open, folder, known, subdirectories)
    } catch {
      problems.append(IndexProblem(path: folder.path.text, error: error))
      return true
    }
  }

  private mutating func compare(
    _ open: MaildirFolder, _ folder: IndexedFolder, _ known: KnownFiles,
    _ subdirectories: Set<Subdirectory>
  ) throws(MaildirError) -> Bool {
    var known = known
    let mark = found.mark()
    let place = Int32(folders.count)
    let (stamp, isRaced) = try FolderEntries.read(open, subdirectories) {
      known.startPass()
      found.cut(to: mark)
    } _: { subdirectory, name, inode throws(MaildirError) in
      filesSeen += 1
      let entry = known.see(KnownFiles.hash(subdirectory, name))
      if let entry, entry.inode == Int64(bitPattern: inode) { return }
      guard name.count <= 4096 else { return }
      found.add(
        name, in: subdirectory, inode: inode, folder: place, replaces: entry?.id ?? 0)
    }
    let passedOver = Subdirectory.allCases.filter { !subdirectories.contains($0) }
    guard passedOver.allSatisfy({ stamp.provesUnchanged($0, since: folder.stamp) }) else {
      found.cut(to: mark)
      return false
    }
    folders.append((folder, isRaced ? nil : stamp))
    if isRaced { return true }
    gone += known.unseen.map { Gone(id: $0.id, inode: $0.inode, folder: place) }
    return true
  }
}

/// Something that was left out, and why.
package struct IndexProblem: Sendable, Equatable {
  /// Below the root.
  package let path: String
  package let error: MaildirError

  package init(path: String, error: MaildirError) {
    self.path = path
    self.error = error
  }

  /// False for what lies among messages and can be none: a pipe, a device.
  package var isMail: Bool {
    guard case .noMessage(_, let entry) = error else { return true }
    return entry.mayBeMail
  }

  /// Whether it may go well another time: not what is no file, or too large.
  var mayPass: Bool {
    switch error {
    case .badName, .nameNotText: false
    case .noMessage(_, let entry): entry == .danglingLink
    case .system(_, _, let code): code != EFBIG
    default: true
    }
  }
}

extension TreeScan {
  /// Adds the files whose size or time is not what the index has: edits in place, which move no
  /// directory's time. Also those whose keyword letters mean something else by now.
  mutating func addEdited(_ tree: MailTree, _ store: IndexStore) throws(IndexError) {
    let gone = Set(gone.map(\.id))
    let again = Set(found.replaced)
    for (place, entry) in folders.enumerated() {
      let rows = try store.read { db in
        let rows = try FileRows(db)
        let ids = try Int64.fetchAll(
          db, sql: "SELECT id FROM file WHERE mailbox = ?", arguments: [entry.folder.mailbox])
        return try ids.filter { !gone.contains($0) && !again.contains($0) }
          .compactMap { id in try rows.row(id).map { (id, $0) } }
      }
      guard let open = try? tree.open(entry.folder.path) else { continue }
      let letters = (try? DovecotKeywords.read(in: open)) ?? DovecotKeywords()
      for (id, row) in rows {
        guard let facts = (try? FolderEntries.facts(row.file, in: open)) ?? nil,
          Int64(clamping: facts.size) != row.size || facts.modified != row.modified
            || letters.keywords(of: row.file.fileName.keywordLetters) != row.letters
        else { continue }
        found.add(
          NewFile(
            file: row.file, inode: UInt64(bitPattern: row.inode), folder: Int32(place),
            replaces: id))
      }
    }
  }
}
