import CIndexCalls
import GRDB
import MailCore
import Maildir
import Synchronization

/// Reads the files of a first build on all cores. An index that is through with that changes in
/// ``ShortTransactions``.
///
/// Every thread takes files, reads and parses them, and gathers a batch; it numbers the batch,
/// sorts it, makes a segment of its search text (``TextShard``) and writes it all in one transaction
/// while the others go on. So an interruption costs the batches under way, and memory is a few
/// batches, whatever the number of files.
final class BulkAdditions: Sendable {
  private let store: IndexStore
  private let scan: TreeScan
  private let tree: MailTree
  private let files: FoundList
  private let now: Int64
  private let way: ThreadChanges.Way
  private let report: ProgressReport
  private let threads: Int
  private let batchBytes: Int
  private let shared: Mutex<Shared>

  private struct Shared {
    /// Files that take another's place: one by one, when all else is there.
    var replacing: FoundFiles
    var numbers: MessageNumbers
    /// Messages by content and account.
    var known: SeenContents
    var addresses: AddressBook.Known = [:]
    var problems: [IndexProblem] = []
    var failure: IndexError?
  }

  private struct Item {
    let folder: IndexedFolder
    var message: ParsedMessage
    var row: FileRows.Row
    var isNew = false
  }

  /// Of the index until its first build is through; what hangs on messages with several files need not be right
  /// before.
  static let underWayFact = "bulk_under_way"

  init(
    store: IndexStore, scan: TreeScan, tree: MailTree, files: FoundList, now: Int64,
    way: ThreadChanges.Way, threads: Int, report: ProgressReport
  ) throws(IndexError) {
    self.store = store
    self.scan = scan
    self.tree = tree
    self.files = files
    self.now = now
    self.way = way
    self.report = report
    self.threads = threads
    // All threads' batches together bound the memory; small builds are not worth large batches.
    batchBytes = min(files.count > 60_000 ? 8 << 20 : 6 << 20, (24 << 20) / threads)
    let (numbers, known) = try store.write { db in
      try IndexStore.setFact(Self.underWayFact, 1, db)
      return (try MessageNumbers(db), try Self.known(db, in: scan.directory))
    }
    shared = Mutex(
      Shared(
        replacing: FoundFiles(in: scan.directory), numbers: numbers, known: known))
  }

  private static func known(_ db: Database, in directory: String) throws -> SeenContents {
    var known = SeenContents(in: directory)
    try RowStatement(db, "SELECT content_hash, account, id FROM message").forEachRow {
      try known.add(
        SeenContents.key($0.number(0), account: $0.number(1)), message: $0.number(2))
    }
    return known
  }

  /// Files that take another's place, once ``run()`` is through.
  var replacing: FoundFiles {
    shared.withLock { shared in
      defer { shared.replacing = FoundFiles(in: scan.directory) }
      return shared.replacing
    }
  }

  /// Returns what was left out.
  func run() throws(IndexError) -> [IndexProblem] {
    // What a pull before it took and no longer needs.
    index_return_free_memory()
    onThreads(threads, stack: 8) { [self] _ in
      do {
        try work()
      } catch {
        shared.withLock { if $0.failure == nil { $0.failure = IndexError(error) } }
      }
    }
    let (failure, problems) = shared.withLock { shared in
      shared.numbers = MessageNumbers()
      shared.known = SeenContents(in: scan.directory)
      shared.addresses = [:]
      return (shared.failure, shared.problems)
    }
    // What the batches took; the threads of messages (``ThreadStore/rebuild(_:)``) would come on top of it.
    index_return_free_memory()
    if let failure { throw failure }
    return problems
  }

  // MARK: One thread

  private static let chunk = 256

  private func work() throws {
    var parser = MessageParser(now: now)
    var folders = OpenFolders(tree)
    let shard = try TextShard()
    var batch: [Item] = []
    var bytes = 0
    while let chunk = try takeChunk() {
      for found in chunk where found.replaces == 0 {
        guard let item = read(found, &parser, &folders) else { continue }
        bytes += item.message.text.bytes.count + 1024
        batch.append(item)
        if bytes >= batchBytes {
          try write(&batch, shard)
          bytes = 0
        }
      }
      report.add(chunk.count)
    }
    try write(&batch, shard)
  }

  /// Nil where no file is left.
  private func takeChunk() throws(IndexError) -> [NewFile]? {
    try shared.withLock { shared throws(IndexError) in
      if shared.failure != nil { return nil }
      let chunk = try files.next(Self.chunk)
      for file in chunk where file.replaces != 0 { shared.replacing.add(file) }
      return chunk.isEmpty ? nil : chunk
    }
  }

  private func read(
    _ found: NewFile, _ parser: inout MessageParser, _ folders: inout OpenFolders
  ) -> Item? {
    let folder = scan.folders[Int(found.folder)].folder
    let file = found.file
    do throws(MaildirError) {
      let open = try folders.folder(found.folder, folder.path)
      guard let result = try parser.parse(file, in: open, account: folder.account) else {
        shared.withLock { $0.problems.append(.vanished(file, folder)) }
        return nil
      }
      let row = FileRows.Row(
        message: 0, mailbox: folder.mailbox, file: file, inode: Int64(bitPattern: found.inode),
        size: result.size, modified: result.modified, keywords: result.keywords,
        letters: folders.letters(of: file, found.folder, folder.path),
        listID: result.message.listID)
      return Item(folder: folder, message: result.message, row: row)
    } catch {
      let path = folder.path.text + "/" + file.description
      shared.withLock { $0.problems.append(IndexProblem(path: path, error: error)) }
      return nil
    }
  }

  // MARK: A batch

  /// Carried from one batch to the next: a few megabytes.
  private static let mostAddresses = 20_000

  private func write(_ batch: inout [Item], _ shard: TextShard) throws {
    if batch.isEmpty { return }
    var items = batch
    batch = []
    let maxShift = try number(&items)
    var texts: [(id: Int64, text: SearchText)] = []
    for index in items.indices where items[index].isNew {
      texts.append((items[index].row.message, items[index].message.text))
      items[index].message.text = SearchText()
    }
    try shard.fill(texts)
    texts = []
    try store.write { db in
      try SegmentAdoption.adopt(shard, into: db)
      try writeRows(items, db)
      try IndexStore.setFact("max_shift", maxShift, db)
      try MessageCount.add(items.count(where: \.isNew), db)
    }
  }

  /// Gives each message its number and sorts by it. Returns the longest shift so far.
  private func number(_ items: inout [Item]) throws(IndexError) -> Int64 {
    items.sort { $0.message.date < $1.message.date }
    let maxShift = try shared.withLock { shared throws(IndexError) in
      for index in items.indices {
        let item = items[index]
        let content = SeenContents.key(item.message.contentHash, account: item.folder.account)
        if let known = try shared.known.message(with: content) {
          items[index].row.message = known
        } else {
          let id = shared.numbers.take(date: item.message.date)
          try shared.known.add(content, message: id)
          items[index].row.message = id
          items[index].isNew = true
        }
      }
      return shared.numbers.maxShift
    }
    items.sort { $0.row.message < $1.row.message }
    return maxShift
  }

  private func writeRows(_ items: [Item], _ db: Database) throws {
    let messages = try MessageRows(db)
    let marks = try MarkRows(db)
    var files = try FileRows(db)
    var threads = try ThreadChanges(db, way)
    // Only the thread that writes has the looked-up addresses.
    var addresses = try AddressBook(db, known: shared.withLock { exchange(&$0.addresses, [:]) })
    for item in items {
      if item.isNew {
        try messages.insert(
          item.row.message, item.message, account: item.folder.account,
          flags: FileRows.flags(of: item.row.file), addresses: &addresses)
        try threads.add(item.row.message, item.message.facts)
        for keyword in item.row.keywords.union(item.row.letters) {
          try marks.add(keyword, to: item.row.message)
        }
      }
      try files.insert(item.row)
    }
    try addresses.write()
    try files.write()
    try threads.settle()
    let known = addresses.known
    shared.withLock { $0.addresses = known.count > Self.mostAddresses ? [:] : known }
  }

  private func exchange<T>(_ place: inout T, _ value: T) -> T {
    defer { place = value }
    return place
  }
}
