import Ledger
import MailCore
import Maildir

/// Files on record as undecided. They are found under their names, and under those that a command gave them which wrote
/// their keywords line anew since.
struct RecordedFiles {
  /// By the hash of the name that they had.
  let byName: [NameHash: UndecidedFile]

  init(_ files: some Sequence<UndecidedFile>) {
    byName = Dictionary(files.lazy.map { ($0.file.nameHash, $0) }, uniquingKeysWith: { $1 })
  }

  func record(of file: MessageFile) -> UndecidedFile? {
    byName[file.baseHash]
      ?? RewrittenName.earlier(than: file.base).lazy.compactMap { byName[NameHash(of: $0)] }.first
  }

  /// Those that lie in the folder, whatever they hold by now.
  func files(in folder: MaildirFolder) throws -> [(file: MessageFile, record: UndecidedFile)] {
    guard !byName.isEmpty else { return [] }
    var found: [(MessageFile, UndecidedFile)] = []
    try FolderScan.forEachFile(in: folder) { file in
      if let one = record(of: file) { found.append((file, one)) }
    }
    return found
  }
}

extension SurplusFile {
  /// Whether the file still holds what it did. What could not be read then may hold anything.
  func isHeld(by digest: MessageDigest) -> Bool {
    contentHash == .unknown || contentHash == digest.contentHash
  }
}
