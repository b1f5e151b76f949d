import Ledger
import MailCore
import Maildir
import SyncPlan

extension ScanPass {
  /// Before a message counts as gone: it may lie in a directory that is no folder of the layout, where a person put it
  /// (promise 4). Then it stays on the server. Only looked for where something is missing.
  func findOutside(_ changes: inout TreeChanges) throws {
    guard !changes.gone.isEmpty else { return }
    let homes = try finder.mailboxes.map { try $0.folderPath() }
    let outside = try OutsideFolders.read(finder.tree, besides: folders + homes)
    changes.hidingPlaces = outside.others
    let wanted = WantedFiles(changes.gone)
    var found: [UnknownFile] = []
    for path in outside.folders { found += try files(in: path, wanted, &changes) }
    let matcher = MoveMatcher(missing: changes.gone, unknown: found)
    changes.moved += matcher.matched
    changes.gone = matcher.missing
  }

  /// Of a folder that is no mailbox's, those that may be wanted.
  func files(in path: FolderPath, _ wanted: WantedFiles, _ changes: inout TreeChanges) throws
    -> [UnknownFile]
  {
    let folder = try MaildirFolder.open(path, in: finder.tree)
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: folder) { files.append($0) }
    var found: [UnknownFile] = []
    for file in files {
      do throws(MaildirError) {
        guard try wanted.mayBe(file, in: folder) else { continue }
      } catch {
        if error.stopsRun { throw error }
        changes.unreadable.append(path.text + "/" + file.description)
        continue
      }
      if let file = try read(file, in: folder, mailbox: nil, &changes) { found.append(file) }
    }
    return found
  }
}

/// What files have to be like to be worth reading: called like a missing message, or about as long.
package struct WantedFiles {
  private let names: Set<UInt64>
  private let sizes: [Int64]

  package init(_ missing: [MissingMessage]) {
    names = Set(missing.map { XXH3.hash($0.record.name) })
    sizes = missing.map(\.record.size).sorted()
  }

  /// - Parameter sizes: of the files of messages that may be wanted, in bytes.
  package init(sizes: [Int64]) {
    names = []
    self.sizes = sizes.sorted()
  }

  package func mayBe(_ file: MessageFile, in folder: MaildirFolder) throws(MaildirError) -> Bool {
    if names.contains(file.baseHash) { return true }
    return isNear(Int64(try folder.facts(file).size))
  }

  /// Readers add and leave out a few header lines on saving.
  private func isNear(_ size: Int64) -> Bool {
    var low = 0
    var high = sizes.count
    while low < high {
      let middle = (low + high) / 2
      if sizes[middle] < size - 4096 { low = middle + 1 } else { high = middle }
    }
    return low < sizes.count && sizes[low] <= size + 4096
  }
}
