import Ledger
import MailCore
import Maildir

/// One Maildir folder as a run sees it: files are found by base name, whatever a reader did to their flags.
///
/// A few files are looked for where they were left; more than that, or one that is not there, cost one scan.
/// Confined to one thread.
package final class LocalFolder {
  package let folder: MaildirFolder
  package let policy: MaildirPolicy
  private var scan: FolderScan?
  private var guesses = 0
  private let isShared: Bool
  private let isRehearsal: Bool
  private var guessLimit: Int

  /// - Parameters:
  ///   - isShared: other threads deliver into it meanwhile, so a scan is soon out of date.
  ///   - isRehearsal: every change is said to be made, and none is.
  package init(
    folder: MaildirFolder, policy: MaildirPolicy, isShared: Bool = false, isRehearsal: Bool = false
  ) {
    self.isRehearsal = isRehearsal
    self.folder = folder
    self.policy = policy
    self.isShared = isShared
    guessLimit = isShared ? .max : 64
  }

  package var path: FolderPath { folder.path }

  package func scanned() throws -> FolderScan {
    if let scan { return scan }
    let fresh = try FolderScan.read(folder)
    scan = fresh
    return fresh
  }

  /// Makes renames and unlinks so far durable.
  package func sync() throws {
    if policy.fsync, !isRehearsal { try folder.syncDirectories() }
  }

  // MARK: Changes

  /// - Parameter seen: the file's facts from before it was looked at.
  /// - Throws: `vanished` where a reader changed it since: look again.
  package func unlink(_ file: MessageFile, asSeen seen: FileFacts) throws {
    if !isRehearsal { try folder.unlink(file, asSeen: seen) }
  }

  package func setModified(_ seconds: Int64, of file: MessageFile) throws {
    if !isRehearsal { try folder.setModified(seconds, of: file) }
  }

  /// - Parameter modified: the date of a file that is written anew.
  package func setKeywords(_ keywords: Keywords, of file: MessageFile, modified: Int64?) throws
    -> MaildirFolder.KeywordsChange
  {
    isRehearsal
      ? MaildirFolder.KeywordsChange(file: file)
      : try folder.rewriteKeywords(keywords, of: file, modified: modified, policy: policy)
  }

  package func setFlags(_ flags: MessageFlags, of file: MessageFile) throws -> MessageFile {
    isRehearsal ? file : try folder.setFlags(flags, of: file, policy: policy)
  }

  package func rename(_ file: MessageFile, base: [UInt8]) throws -> MessageFile {
    isRehearsal ? file : try folder.rename(file, base: base, policy: policy)
  }

  // MARK: Finding files

  /// What was read no longer holds: look again when next asked.
  package func forgetScan() { scan = nil }

  /// The file with this base name, wherever in `new` or `cur` and with whatever flags; nil if the folder lacks it.
  package func locate(_ base: [UInt8], lastFlags: MessageFlags) throws -> MessageFile? {
    let wasScanned = scan != nil
    if isShared || !wasScanned, guesses < guessLimit {
      guesses += 1
      if let guess = try whereItWas(base, lastFlags) { return guess }
    }
    if let found = try scanned().find(base: base) { return found.file(base: base) }
    // A scan that raced with a reader, or into which others deliver meanwhile, proves no absence.
    guard isShared && wasScanned || scan?.isRaced == true else { return nil }
    forgetScan()
    return try scanned().find(base: base)?.file(base: base)
  }

  /// The file that the record tells of; nil if the folder lacks it.
  package func file(of record: MessageRecord) throws -> MessageFile? {
    try locate(record.name, lastFlags: record.agreed.flags)
  }

  private func whereItWas(_ base: [UInt8], _ flags: MessageFlags) throws -> MessageFile? {
    var candidates = [
      MessageFile(
        subdirectory: .cur,
        name: MaildirFileName(base: base, info: .init(flags: flags)).bytes(
          separator: policy.separator))
    ]
    if flags.isEmpty { candidates.append(MessageFile(subdirectory: .new, name: base)) }
    for file in candidates where try exists(file) { return file }
    return nil
  }

  private func exists(_ file: MessageFile) throws -> Bool {
    do throws(MaildirError) {
      // A symbolic link is no message, wherever it leads.
      return try folder.facts(file).isRegularFile
    } catch {
      guard case .vanished = error else { throw error }
      return false
    }
  }

  /// Runs `body` with the file, once more after a new scan if a reader renamed it meanwhile; nil when it is gone.
  package func withFile<T>(
    _ base: [UInt8], lastFlags: MessageFlags, _ body: (MessageFile) throws -> T
  ) throws -> T? {
    for _ in 0..<3 {
      guard let file = try locate(base, lastFlags: lastFlags) else { return nil }
      do {
        return try body(file)
      } catch MaildirError.vanished {
        forgetScan()
        guesses = guessLimit
      }
    }
    return nil
  }

  /// The same with the file that the record tells of.
  package func withFile<T>(of record: MessageRecord, _ body: (MessageFile) throws -> T) throws -> T?
  {
    try withFile(record.name, lastFlags: record.agreed.flags, body)
  }

  /// The same with a file that was seen a while ago.
  package func withFile<T>(_ seen: MessageFile, _ body: (MessageFile) throws -> T) throws -> T? {
    try withFile(seen.base, lastFlags: seen.fileName.flags, body)
  }
}
