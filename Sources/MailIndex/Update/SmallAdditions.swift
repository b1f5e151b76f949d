import GRDB
import MailCore
import Maildir
import Synchronization

/// Reads new files and puts them into an index whose first build is through.
///
/// All cores read, a few dozen files at a time, before the database is locked for them.
struct SmallAdditions: Sendable {
  let store: IndexStore
  let scan: TreeScan
  let tree: MailTree
  let now: Int64
  let threads: Int
  let report: ProgressReport

  /// Read together; bounds the memory.
  private static let chunk = 64
  /// Fewer are not worth a thread.
  private static let share = 8

  /// Returns what was left out, and how many files took another's place.
  func run(_ files: FoundList) throws(IndexError) -> (problems: [IndexProblem], edited: Int) {
    var problems: [IndexProblem] = []
    var edited = 0
    let readers = (0..<max(1, threads)).map { _ in FileReader(tree, now: now) }
    var short = ShortTransactions(store: store)
    while true {
      let chunk = try files.next(Self.chunk)
      if chunk.isEmpty { break }
      var batch = read(chunk[...], readers)
      problems += batch.problems
      edited += batch.read.count { $0.found.replaces != 0 }
      // FTS5 wants its rows in the order of their numbers.
      batch.read.sort { $0.result.message.date < $1.result.message.date }
      try write(batch.read, &short)
      report.add(chunk.count)
    }
    return (problems, edited)
  }

  private func write(_ batch: [ReadFile], _ short: inout ShortTransactions) throws(IndexError) {
    try short.run(batch) {
      try IndexChanges($0)
    } _: { changes, read in
      if read.found.replaces != 0 {
        try changes.replace(read.found.replaces, read.result, read.row, in: read.folder)
      } else {
        try changes.add(read.result, read.row, in: read.folder)
      }
    } end: {
      try $0.settle()
    } weight: {
      $0.result.message.text.bytes.count
    }
  }

  // MARK: Reading

  private func read(_ chunk: ArraySlice<NewFile>, _ readers: [FileReader]) -> FileReader.Batch {
    let count = min(readers.count, max(1, chunk.count / Self.share))
    if count == 1 { return readers[0].read(chunk, scan) }
    let share = (chunk.count + count - 1) / count
    let whole = Mutex(FileReader.Batch())
    onThreads(count, stack: 8) { [scan] number in
      let batch = readers[number].read(chunk.dropFirst(number * share).prefix(share), scan)
      whole.withLock {
        $0.read += batch.read
        $0.problems += batch.problems
      }
    }
    return whole.withLock { $0 }
  }
}

extension IndexProblem {
  static func vanished(_ file: MessageFile, _ folder: IndexedFolder) -> IndexProblem {
    IndexProblem(
      path: folder.path.text + "/" + file.description, error: .vanished(name: file.description))
  }
}
