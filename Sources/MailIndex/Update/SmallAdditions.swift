import GRDB
import MailCore
import Maildir

/// Reads a few new files and puts them into an index that is mostly right already.
struct SmallAdditions {
  let store: IndexStore
  let scan: TreeScan
  let tree: MailTree
  let now: Int64
  let report: ProgressReport

  /// Read before the database is locked for them.
  private static let chunk = 32

  private struct Read {
    let found: NewFile
    let folder: IndexedFolder
    let result: MessageParser.Result
    let row: FileRows.Row
  }

  /// Returns what was left out, and how many files took another's place.
  func run(_ files: [NewFile], _ way: ThreadChanges.Way) throws(IndexError) -> (
    problems: [IndexProblem], edited: Int
  ) {
    var parser = MessageParser(now: now)
    var folders = OpenFolders(tree)
    var problems: [IndexProblem] = []
    var edited = 0
    var rest = files[...]
    while !rest.isEmpty {
      var batch: [Read] = []
      for found in rest.prefix(Self.chunk) {
        if let read = read(found, &parser, &folders, &problems) { batch.append(read) }
      }
      rest = rest.dropFirst(Self.chunk)
      edited += batch.count { $0.found.replaces != 0 }
      // FTS5 wants its rows in the order of their numbers.
      batch.sort { $0.result.message.date < $1.result.message.date }
      try ShortTransactions(store: store).run(batch) {
        try IndexChanges($0, threads: way)
      } _: { changes, read in
        if read.found.replaces != 0 {
          try changes.replace(read.found.replaces, read.result, read.row, in: read.folder)
        } else {
          try changes.add(read.result, read.row, in: read.folder)
        }
      } end: {
        try $0.settle()
      }
      report.add(min(Self.chunk, files.count))
    }
    return (problems, edited)
  }

  private func read(
    _ found: NewFile, _ parser: inout MessageParser, _ folders: inout OpenFolders,
    _ problems: inout [IndexProblem]
  ) -> Read? {
    let folder = scan.folders[Int(found.folder)].folder
    let file = found.file(scan.names)
    do throws(MaildirError) {
      let open = try folders.folder(found.folder, folder.path)
      guard let result = try parser.parse(file, in: open, account: folder.account) else {
        problems.append(.vanished(file, folder))
        return nil
      }
      let row = FileRows.Row(
        message: 0, mailbox: folder.mailbox, file: file, inode: Int64(bitPattern: found.inode),
        size: result.size, modified: result.modified, keywords: result.keywords,
        letters: folders.letters(of: file, found.folder, folder.path),
        listID: result.message.listID)
      return Read(found: found, folder: folder, result: result, row: row)
    } catch {
      problems.append(IndexProblem(path: folder.path.text + "/" + file.description, error: error))
      return nil
    }
  }
}

extension IndexProblem {
  static func vanished(_ file: MessageFile, _ folder: IndexedFolder) -> IndexProblem {
    IndexProblem(
      path: folder.path.text + "/" + file.description, error: .vanished(name: file.description))
  }
}
