import GRDB
import MailCore
import Maildir

/// A folder of the tree beside its row in the index.
struct IndexedFolder: Sendable {
  let mailbox: Int64
  let account: Int64
  let accountName: String
  let path: FolderPath
  /// As people see it.
  let name: String
  let isSent: Bool
  /// When the tree was looked through.
  let met: FolderStamp
  /// What the index remembers; nothing is known unchanged by an empty one.
  let stamp: FolderStamp
  /// Of the files that have rows.
  let sums: FolderSums
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
  ///
  /// - Parameter all: whether every file is held against its row, whatever the times of the directories say.
  mutating func look(into folder: IndexedFolder, of tree: MailTree, _ store: IndexStore, all: Bool)
    throws(IndexError)
  {
    guard let (open, changed) = changed(folder, of: tree, all: all) else { return }
    if try compare(open, folder, store, changed, all: all) { return }
    _ = try compare(open, folder, store, Set(Subdirectory.allCases), all: all)
  }

  /// The folder opened, and which of its directories changed; nil when neither did, or it cannot be read.
  private mutating func changed(_ folder: IndexedFolder, of tree: MailTree, all: Bool)
    -> (MaildirFolder, Set<Subdirectory>)?
  {
    if !all, folder.met.provesUnchanged(since: folder.stamp) { return nil }
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
    _ subdirectories: Set<Subdirectory>, all: Bool
  ) throws(IndexError) -> Bool {
    let isUnchanged = { (stamp: FolderStamp) in
      Subdirectory.allCases.allSatisfy {
        subdirectories.contains($0) || stamp.provesUnchanged($0, since: folder.stamp)
      }
    }
    var pass: FolderPass?
    if !all, folder.sums != FolderSums() {
      guard let read = readOnce(open, folder, subdirectories) else { return true }
      if let changes = try FewChanges(read, folder, subdirectories, store) {
        guard isUnchanged(read.stamp) else { return false }
        add(changes, of: read, folder)
        return true
      }
      pass = read
    }
    let known = try store.read { try KnownFiles($0, mailbox: folder.mailbox, subdirectories) }
    let mark = found.mark()
    do throws(MaildirError) {
      let (stamp, gone) = try compare(pass, open, known, subdirectories)
      guard isUnchanged(stamp) else {
        found.cut(to: mark)
        return false
      }
      append(folder, gone == nil ? nil : stamp, gone ?? [])
    } catch {
      problems.append(IndexProblem(path: folder.path.text, error: error))
    }
    return true
  }

  private mutating func readOnce(
    _ open: MaildirFolder, _ folder: IndexedFolder, _ subdirectories: Set<Subdirectory>
  ) -> FolderPass? {
    do throws(MaildirError) {
      let pass = try FolderPass(open, subdirectories)
      filesSeen += pass.count
      return pass
    } catch {
      problems.append(IndexProblem(path: folder.path.text, error: error))
      return nil
    }
  }

  private mutating func add(_ changes: FewChanges, of pass: FolderPass, _ folder: IndexedFolder) {
    for index in changes.added {
      pass.withEntry(index) { entry, name in
        found.add(
          name, in: entry.subdirectory, inode: UInt64(bitPattern: entry.inode),
          folder: Int32(folders.count), replaces: 0)
      }
    }
    append(folder, pass.stamp, changes.gone)
  }

  /// Every file held against the rows.
  ///
  /// - Parameter pass: what was read already; nil to read it now.
  /// - Returns: the rows without a file; nil where the directories never rested.
  private mutating func compare(
    _ pass: FolderPass?, _ open: MaildirFolder, _ known: KnownFiles,
    _ subdirectories: Set<Subdirectory>
  ) throws(MaildirError) -> (FolderStamp, gone: [KnownFiles.Entry]?) {
    var known = known
    let mark = found.mark()
    let place = Int32(folders.count)
    let (stamp, isRaced) = try FolderPass.forEach(of: pass, open, subdirectories) {
      known.startPass()
      found.cut(to: mark)
    } _: { subdirectory, name, nameHash, inode in
      if pass == nil { filesSeen += 1 }
      let entry = known.see(nameHash)
      if let entry, entry.inode == inode { return }
      guard name.count <= 4096 else { return }
      found.add(
        name, in: subdirectory, inode: UInt64(bitPattern: inode), folder: place,
        replaces: entry?.id ?? 0)
    }
    return (stamp, isRaced ? nil : known.unseen)
  }

  private mutating func append(
    _ folder: IndexedFolder, _ stamp: FolderStamp?, _ gone: [KnownFiles.Entry]
  ) {
    self.gone += gone.map { Gone(id: $0.id, inode: $0.inode, folder: Int32(folders.count)) }
    folders.append((folder, stamp))
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
