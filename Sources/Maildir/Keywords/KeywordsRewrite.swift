import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Keywords of message files that are there.
///
/// A changed line means a file written anew in `tmp/` and renamed over the old one, which then gets
/// its next ``RewrittenName``. Date and permissions stay; the size is always another one, so that
/// `rsync -a` sees the change. With several names for one file (hard links), the others keep the
/// old content.
extension MaildirFolder {
  /// Gives one file these keywords: in the line at its top, or as letters in its name.
  ///
  /// - Returns: the file as it is called now (the mark of a rewrite; keyword letters; Dovecot's
  ///   sizes), and the keywords that could not be kept.
  /// - Throws: `vanished` when a reader renamed it meanwhile: nothing has changed then.
  package func setKeywords(_ keywords: Keywords, of file: MessageFile, policy: MaildirPolicy)
    throws(MaildirError) -> (file: MessageFile, leftOut: Keywords)
  {
    switch policy.keywords {
    case .none: return (file, keywords)
    case .dovecot:
      let (letters, leftOut) = try DovecotKeywords.letters(
        for: keywords, in: self, fsync: policy.fsync)
      let changed = try setFlags(
        file.fileName.flags, keywordLetters: letters, of: file, policy: policy)
      return (changed, leftOut)
    case .header:
      guard let rewrite = try stageKeywords(keywords, of: file, policy: policy) else {
        return (file, .none)
      }
      do throws(MaildirError) {
        if policy.fsync { try rewrite.part.sync() }
        return (try rewrite.replace(policy), .none)
      } catch {
        rewrite.discard()
        throw error
      }
    }
  }

  /// The first half of a rewrite, for ``KeywordsBatch``. Nil when the line is as it should be.
  package func stageKeywords(_ keywords: Keywords, of file: MessageFile, policy: MaildirPolicy)
    throws(MaildirError) -> StagedRewrite?
  {
    guard let line = policy.keywords.line else { return nil }
    let source = try MessageSource.open(file, in: self)
    let old = try source.ownLine(policy)
    let head = try source.head(old.count + 128).dropFirst(old.count)
    var new = Array(head).withUnsafeBytes {
      line.line(for: keywords, before: $0, ending: policy.lineEndings)
    }
    if new == old { return nil }
    if new.count == old.count { Self.pad(&new) }
    let part = try PartFile.create(in: self)
    do throws(MaildirError) {
      try part.write(new)
      try source.copy(to: part, from: old.count)
      try part.setMode(source.facts.permissions)
      _ = try part.complete(modifiedNanoseconds: source.facts.modified)
      return StagedRewrite(folder: self, file: file, old: source.facts, part: part)
    } catch {
      part.discard()
      throw error
    }
  }

  /// One more space at the line's end, which reading passes over.
  private static func pad(_ line: inout [UInt8]) {
    let end = line.count >= 2 && line[line.count - 2] == ASCII.cr ? line.count - 2 : line.count - 1
    line.insert(ASCII.space, at: end)
  }
}

/// A file with its new keywords line, complete in `tmp/`.
package struct StagedRewrite {
  package let folder: MaildirFolder
  package let file: MessageFile
  let old: FileFacts
  let part: PartFile

  /// The rename replaces, so the name must still be that of the file that was read. A reader that
  /// renames in the moment between is not lost either: its name then stands beside ours, a
  /// duplicate that the next scan shows.
  func replace(_ policy: MaildirPolicy) throws(MaildirError) -> MessageFile {
    let directory = folder.directory(of: file.subdirectory)
    guard let now = try directory.entryFacts(file.name), now.inode == old.inode,
      now.size == old.size,
      now.modified == old.modified
    else { throw .vanished(name: file.description) }
    try directory.replace(file.name, with: part.name, of: folder.tmp)
    return try folder.renameRewritten(file, policy: policy)
  }

  func discard() { part.discard() }
}
