import Maildir

/// The names of a folder's messages, read once for many questions.
struct FolderNames {
  /// By the name before any rewrite, without other programs' fields.
  private let files: [[UInt8]: [MessageFile]]

  init(_ folder: MaildirFolder) throws {
    var files: [[UInt8]: [MessageFile]] = [:]
    _ = try FolderEntries.read(folder) {
      files = [:]
    } _: { subdirectory, name, _ in
      let file = MessageFile(subdirectory: subdirectory, name: Array(name))
      files[RewrittenName(file.base).stem, default: []].append(file)
    }
    self.files = files
  }

  /// The file of that base name, in `cur/` before `new/`; else the one that had it before its keywords line was written
  /// anew.
  func find(_ base: [UInt8]) -> MessageFile? {
    let wanted = RewrittenName(base)
    let all = files[wanted.stem] ?? []
    let same = all.filter { $0.base == base }
    if let file = same.first(where: { $0.subdirectory == .cur }) ?? same.first { return file }
    let later = all.filter { wanted.isEarlier(than: $0.base) }
    return later.count == 1 ? later.first : nil
  }
}
