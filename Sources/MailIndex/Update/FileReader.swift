import MailCore
import Maildir
import Synchronization

/// A file that was read, and where it belongs.
struct ReadFile: Sendable {
  let found: NewFile
  let folder: IndexedFolder
  let result: MessageParser.Result
  let row: FileRows.Row
}

/// What one thread reads files with.
final class FileReader: Sendable {
  struct Batch: Sendable {
    var read: [ReadFile] = []
    var problems: [IndexProblem] = []
  }

  private struct Tools: ~Copyable {
    var parser: MessageParser
    var folders: OpenFolders
  }

  private let tools: Mutex<Tools>

  init(_ tree: MailTree, now: Int64) {
    tools = Mutex(Tools(parser: MessageParser(now: now), folders: OpenFolders(tree)))
  }

  func read(_ files: ArraySlice<NewFile>, _ scan: TreeScan) -> Batch {
    tools.withLock { tools in
      var batch = Batch()
      for found in files {
        if let read = Self.read(found, scan, &tools, &batch.problems) { batch.read.append(read) }
      }
      return batch
    }
  }

  private static func read(
    _ found: NewFile, _ scan: TreeScan, _ tools: inout Tools, _ problems: inout [IndexProblem]
  ) -> ReadFile? {
    let folder = scan.folders[Int(found.folder)].folder
    let file = found.file
    do throws(MaildirError) {
      let open = try tools.folders.folder(found.folder, folder.path)
      guard let result = try tools.parser.parse(file, in: open, account: folder.account) else {
        problems.append(.vanished(file, folder))
        return nil
      }
      let row = FileRows.Row(
        message: 0, mailbox: folder.mailbox, file: file, inode: Int64(bitPattern: found.inode),
        size: result.size, modified: result.modified, keywords: result.keywords,
        letters: tools.folders.letters(of: file, found.folder, folder.path),
        listID: result.message.listID)
      return ReadFile(found: found, folder: folder, result: result, row: row)
    } catch {
      problems.append(IndexProblem(path: folder.path.text + "/" + file.description, error: error))
      return nil
    }
  }
}
