import LocalChanges
import MailCore
import Maildir
import SyncPlan

/// Files from another folder, or from elsewhere, get the keyword letters of the folder where they are, before the server
/// hears of them: from then on a scan reads them by that folder's table, whenever the run ends.
struct FolderLetters: PushPart {
  let desk: PushDesk

  /// - Returns: those that are still there.
  func lettered(_ transfers: [Transfer]) throws -> [Transfer] { try lettered(transfers, \.file) }

  /// - Returns: those that are still there.
  func lettered(_ uploads: [PushPlan.PlannedUpload]) throws -> [PushPlan.PlannedUpload] {
    try lettered(uploads, \.asOptional)
  }

  private func lettered<Item>(_ items: [Item], _ file: WritableKeyPath<Item, UnknownFile?>) throws
    -> [Item]
  {
    guard case .dovecot = policy.keywords else { return items }
    var folders: [FolderPath: LocalFolder] = [:]
    let left = try items.compactMap { item -> Item? in
      guard let old = item[keyPath: file] else { return item }
      let letters = try letters(of: old)
      guard letters != old.file.fileName.keywordLetters else { return item }
      let folder =
        try folders[old.folder] ?? context.folders.local(try context.folders.open(old.folder))
      folders[old.folder] = folder
      guard let renamed = try give(letters, to: old, in: folder) else { return nil }
      var item = item
      item[keyPath: file]?.file = renamed
      return item
    }
    for folder in folders.values { try folder.sync() }
    return left
  }

  /// Those that its folder has for its keywords, also for those that had none where it came from: once the folder gives
  /// such a keyword a letter, a file without it would look as if somebody had taken it off. A letter without a name there
  /// means nothing yet, and would mean whatever keyword is the next to get it.
  private func letters(of file: UnknownFile) throws -> KeywordLetters {
    if file.marks.keywords.isEmpty { return KeywordLetters() }
    return try DovecotKeywords.letters(
      for: file.marks.keywords, in: context.folders.open(file.folder), fsync: policy.fsync
    ).0
  }

  /// Nil where it went away, or a reader gave it other letters just now: the next scan sees it as it is.
  private func give(_ letters: KeywordLetters, to file: UnknownFile, in folder: LocalFolder) throws
    -> MessageFile?
  {
    let renamed = try folder.withFile(file.file) {
      now -> MessageFile? in
      guard now.fileName.keywordLetters == file.file.fileName.keywordLetters else { return nil }
      return try folder.folder.setFlags(
        now.fileName.flags, keywordLetters: letters, of: now, policy: policy)
    }
    return renamed ?? nil
  }
}

extension PushPlan.PlannedUpload {
  fileprivate var asOptional: UnknownFile? {
    get { file }
    set { if let newValue { file = newValue } }
  }
}
