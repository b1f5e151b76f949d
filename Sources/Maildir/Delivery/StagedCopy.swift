import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension MaildirFolder {
  /// Stages a message that the server identifies as one already in the tree, without a download.
  ///
  /// Where keywords line, date and bytes agree the new file is a hard link to the old one, else a
  /// copy.
  ///
  /// - Parameter expecting: of the message; the source is read and must still hold it.
  /// - Throws: `vanished` or `changed` when the source does not: download then.
  package func stageCopy(
    of file: MessageFile, from source: MaildirFolder, expecting: MessageDigest,
    marks: MessageMarks, internalDate: Int64, base: [UInt8], policy: MaildirPolicy
  ) throws(MaildirError) -> StagedMessage {
    let original = try MessageSource.open(file, in: source)
    let front = try original.front(policy)
    let digest = try original.digest(behind: front, asCame: expecting.asCame, policy: policy)
    guard digest.contentHash == expecting.contentHash, digest.serverSize == expecting.serverSize,
      digest.isStub == expecting.isStub
    else { throw .changed(name: file.description) }
    var letters = KeywordLetters()
    var leftOut = Keywords.none
    if policy.keywords == .dovecot, !marks.keywords.isEmpty {
      (letters, leftOut) = try DovecotKeywords.letters(
        for: marks.keywords, in: self, fsync: policy.fsync)
    }
    let head = try original.head(front.count + 128).dropFirst(front.count)
    let line = Array(head).withUnsafeBytes {
      policy.keywords.line?.line(for: marks.keywords, before: $0, ending: policy.lineEndings) ?? []
    }
    let modified = FileTime.nanoseconds(internalDate)
    var staged: Staged?
    if line == front.keywords, original.facts.modified == modified {
      staged = try link(file, of: source, facts: original.facts)
    }
    if staged == nil {
      staged = try copy(original, behind: front.count, lines: front.stub + line, modified)
    }
    guard let staged else { throw .vanished(name: file.description) }
    let (subdirectory, fileName) = StagedMessage.place(
      base: base, flags: marks.flags, letters: letters)
    return StagedMessage(
      digest: expecting, folder: self, keywordsLeftOut: leftOut, temporaryName: staged.name,
      subdirectory: subdirectory, name: fileName, separator: policy.separator,
      facts: staged.facts)
  }

  private typealias Staged = (name: [UInt8], facts: FileFacts)

  /// Nil where the link cannot be, or the name was another file's by then.
  private func link(_ file: MessageFile, of source: MaildirFolder, facts: FileFacts)
    throws(MaildirError) -> Staged?
  {
    let name = TemporaryName.next()
    guard try source.directory(of: file.subdirectory).link(file.name, to: tmp, name) else {
      return nil
    }
    guard let linked = try tmp.facts(name), linked.inode == facts.inode,
      linked.size == facts.size, linked.modified == facts.modified
    else {
      try tmp.unlink(name)
      return nil
    }
    return (name, linked)
  }

  private func copy(
    _ original: borrowing MessageSource, behind start: Int, lines: [UInt8], _ modified: Int64
  ) throws(MaildirError) -> Staged {
    let part = try PartFile.create(in: self)
    do throws(MaildirError) {
      try part.write(lines)
      try original.copy(to: part, from: start)
      return (part.name, try part.complete(modifiedNanoseconds: modified))
    } catch {
      part.discard()
      throw error
    }
  }
}
