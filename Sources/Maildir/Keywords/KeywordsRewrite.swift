import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Keywords of message files that are there.
///
/// A changed line means a file written anew in `tmp/` and exchanged with the old one, which then gets
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
    let done = try rewriteKeywords(keywords, of: file, modified: nil, policy: policy)
    return (done.file, done.leftOut)
  }

  /// What became of a file whose keywords were set.
  package struct KeywordsChange {
    package var file: MessageFile
    package var leftOut: Keywords
    /// Of the file that was written anew, as it was written; nil where none was.
    package var size: UInt64?

    package init(file: MessageFile, leftOut: Keywords = .none, size: UInt64? = nil) {
      self.file = file
      self.leftOut = leftOut
      self.size = size
    }
  }

  /// The same.
  ///
  /// - Parameter modified: the date, in Unix seconds, of a file that is written anew; nil to keep its own.
  package func rewriteKeywords(
    _ keywords: Keywords, of file: MessageFile, modified: Int64?, policy: MaildirPolicy
  ) throws(MaildirError) -> KeywordsChange {
    switch policy.keywords {
    case .none: return KeywordsChange(file: file, leftOut: keywords)
    case .dovecot:
      let (letters, leftOut) = try DovecotKeywords.letters(
        for: keywords, in: self, fsync: policy.fsync)
      let changed = try setFlags(
        file.fileName.flags, keywordLetters: letters, of: file, policy: policy)
      return KeywordsChange(file: changed, leftOut: leftOut)
    case .header:
      guard
        let rewrite = try stageKeywords(keywords, of: file, modified: modified, policy: policy)
      else { return KeywordsChange(file: file) }
      do throws(MaildirError) {
        if policy.fsync { try rewrite.part.sync() }
        return KeywordsChange(file: try rewrite.replace(policy), size: rewrite.made.size)
      } catch {
        rewrite.discard()
        throw error
      }
    }
  }

  /// The first half of a rewrite, for ``KeywordsBatch``. Nil when the line is as it should be.
  package func stageKeywords(
    _ keywords: Keywords, of file: MessageFile, modified: Int64? = nil, policy: MaildirPolicy
  ) throws(MaildirError) -> StagedRewrite? {
    guard let line = policy.keywords.line else { return nil }
    let source = try MessageSource.open(file, in: self)
    let front = try source.front(policy)
    let old = front.keywords
    let head = try source.head(front.count + 128).dropFirst(front.count)
    var new = Array(head).withUnsafeBytes {
      line.line(for: keywords, before: $0, ending: policy.lineEndings)
    }
    if new == old { return nil }
    if new.count == old.count { Self.pad(&new) }
    let part = try PartFile.create(in: self)
    do throws(MaildirError) {
      try part.write(front.stub + new)
      try source.copy(to: part, from: front.count)
      try part.setMode(source.facts.permissions)
      let made = try part.complete(
        modifiedNanoseconds: modified.map(FileTime.nanoseconds) ?? source.facts.modified)
      return StagedRewrite(folder: self, file: file, old: source.facts, part: part, made: made)
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
  let made: FileFacts

  /// The file gives way only if it is the one that was read, also in the moment of the exchange.
  func replace(_ policy: MaildirPolicy) throws(MaildirError) -> MessageFile {
    try folder.replace(file, with: part, made, asSeen: old)
    return try folder.renameRewritten(file, policy: policy)
  }

  func discard() { part.discard() }
}
