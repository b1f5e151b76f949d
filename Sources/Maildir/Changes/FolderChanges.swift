import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Changes of single files. None replaces anything; each is durable after
/// ``MaildirFolder/syncDirectories(_:)``.
///
/// A file that a mail reader renamed or removed in the meantime makes them throw `vanished`: scan
/// again.
extension MaildirFolder {
  /// Gives the file these flags; unknown letters stay. A file in `new/` moves to `cur/` once a
  /// flag, or a keyword letter, is set, and stays where it is while there is none. A name that would
  /// grow too long for a file system gets a shorter base.
  package func setFlags(
    _ flags: MessageFlags, keywordLetters: KeywordLetters? = nil, of file: MessageFile,
    policy: MaildirPolicy
  ) throws(MaildirError) -> MessageFile {
    let old = file.fileName
    let letters = keywordLetters ?? old.keywordLetters
    if old.flags == flags, old.keywordLetters == letters {
      guard try directory(of: file.subdirectory).facts(file.name) != nil else {
        throw .vanished(name: file.description)
      }
      return file
    }
    let name = old.setting(flags: flags, keywordLetters: letters)
    return try rename(
      file, to: self, .cur, name: Self.fitting(name.bytes(separator: policy.separator)))
  }

  /// A name that is too long for a file system, with a shorter base; any other as it is.
  private static func fitting(_ name: [UInt8]) -> [UInt8] {
    guard name.count > FolderLayout.longestComponent else { return name }
    var parts = MaildirFileName(name)
    parts.base = shortened(parts.base)
    return parts.bytes(separator: .colon)
  }

  /// The start of a base name, and the hash of all of it: with room for every flag, keyword letter and mark.
  private static func shortened(_ base: [UInt8]) -> [UInt8] {
    let fields = base.firstIndex(of: UInt8(ascii: ",")) ?? base.endIndex
    var short = Array(base[..<min(fields, 160)])
    if fields > 160 {
      // No half of a character.
      while let last = short.last, last >= 0x80, short.count > 156 { short.removeLast() }
    }
    short.append(UInt8(ascii: "_"))
    short.appendHex(XXH3.hash(base))
    return short
  }

  /// Gives the file another base name; flags and directory stay.
  package func rename(_ file: MessageFile, base: [UInt8], policy: MaildirPolicy)
    throws(MaildirError) -> MessageFile
  {
    var name = file.fileName
    if name.base == base { return file }
    name.base = base
    return try rename(
      file, to: self, file.subdirectory, name: name.bytes(separator: policy.separator))
  }

  /// Gives a file with a new keywords line its next name, with Dovecot's sizes (`,S=`, `,W=`) right: other programs
  /// believe them without a look. A name that would grow too long for a file system stays.
  func renameRewritten(_ file: MessageFile, policy: MaildirPolicy) throws(MaildirError)
    -> MessageFile
  {
    var base = RewrittenName.next(after: file.base)
    let hints = NameHints(base: base)
    if hints.size != nil || hints.crlfSize != nil {
      let source = try MessageSource.open(file, in: self)
      let crlfSize = try source.sizeWithCRLF()
      base = NameHints.corrected(base: base, size: source.facts.size, crlfSize: crlfSize) ?? base
    }
    let growth = base.count - file.base.count
    guard file.name.count + growth <= FolderLayout.longestComponent else { return file }
    return try rename(file, base: base, policy: policy)
  }

  /// What becomes of the letters that stand for keywords in a name when a file goes to another folder.
  package enum MovedLetters: Sendable, Equatable {
    /// They become those that mean the same there; where a keyword can get none, the file stays.
    case translated
    /// The same, and the file goes in any case: what finds no letter there is known by other means.
    case translatedAsFarAsPossible
    /// The file is only kept there, and its letters go on meaning what they mean here.
    case kept
    /// It has these there, whatever its own say.
    case exactly(KeywordLetters)
    /// It has those of these keywords there, as far as there are any: its own may be of another folder's table.
    case meaning(Keywords)
  }

  /// Moves the file to another folder, to the same subdirectory there. Other tools' UIDs leave its
  /// name: in the new folder they would name another message.
  /// Where the folders lie on different file systems the file is copied, durably, and then unlinked.
  ///
  /// - Throws: `noLetter` where a keyword can get none there: the file stays, and so do its letters.
  package func move(
    _ file: MessageFile, to target: MaildirFolder, policy: MaildirPolicy,
    letters: MovedLetters = .translated
  ) throws(MaildirError) -> MessageFile {
    var name = file.fileName
    name.base = NameHints.withoutForeignUID(base: name.base) ?? name.base
    if case .dovecot = policy.keywords {
      let letters = try self.letters(letters, of: name.keywordLetters, in: target, policy)
      name = name.setting(flags: name.flags, keywordLetters: letters)
    }
    do throws(MaildirError) {
      return try rename(
        file, to: target, file.subdirectory, name: name.bytes(separator: policy.separator))
    } catch {
      guard case .system(_, _, EXDEV) = error else { throw error }
      return try moveAcross(file, to: target, name: name, policy: policy)
    }
  }

  private func letters(
    _ wanted: MovedLetters, of own: KeywordLetters, in target: MaildirFolder,
    _ policy: MaildirPolicy
  ) throws(MaildirError) -> KeywordLetters {
    let keywords: Keywords
    switch wanted {
    case .kept: return own
    case .exactly(let letters): return letters
    case .meaning(let meant): keywords = meant
    case .translated, .translatedAsFarAsPossible:
      guard !own.isEmpty else { return own }
      keywords = try DovecotKeywords.read(in: self).keywords(of: own)
    }
    if case .translated = wanted {
      // Asked first: a file that stays needs no letters in the other folder's table.
      for keyword in try DovecotKeywords.read(in: target).leftOut(of: keywords) {
        throw .noLetter(folder: target.directory.path, keyword: keyword)
      }
    }
    return try DovecotKeywords.letters(for: keywords, in: target, fsync: policy.fsync).0
  }

  /// Removes the file, whatever it holds; false when it was gone already. What a person may have edited goes by
  /// ``unlink(_:asSeen:)``.
  @discardableResult
  package func unlink(_ file: MessageFile) throws(MaildirError) -> Bool {
    try directory(of: file.subdirectory).unlink(file.name)
  }

  /// Of a symbolic link, its own.
  ///
  /// - Throws: `vanished` when no such file is there.
  package func facts(_ file: MessageFile) throws(MaildirError) -> FileFacts {
    guard let facts = try directory(of: file.subdirectory).entryFacts(file.name) else {
      throw .vanished(name: file.description)
    }
    return facts
  }

  /// When the file came into being, under whatever name, in nanoseconds since 1970; nil where the file system keeps no
  /// such time.
  package func birthTime(of file: MessageFile) throws(MaildirError) -> Int64? {
    try directory(of: file.subdirectory).birthTime(of: file.name)
  }

  /// On a clash the base gets a suffix; a file that already has the wanted name is the file itself.
  func rename(
    _ file: MessageFile, to target: MaildirFolder, _ subdirectory: Subdirectory, name: [UInt8]
  ) throws(MaildirError) -> MessageFile {
    let from = directory(of: file.subdirectory)
    let to = target.directory(of: subdirectory)
    if from === to, file.name == name { return file }
    var wanted = name
    for ordinal in 2...100 {
      if try from.rename(file.name, to: to, wanted) {
        return MessageFile(subdirectory: subdirectory, name: wanted)
      }
      wanted = Self.clashing(name, ordinal: ordinal)
    }
    throw .nameTaken(name: name.forPeople)
  }

  static func clashing(_ name: [UInt8], ordinal: Int) -> [UInt8] {
    var parts = MaildirFileName(name)
    parts.base = NameClash.base(parts.base, ordinal: ordinal)
    return fitting(parts.bytes(separator: .colon))
  }

  private func moveAcross(
    _ file: MessageFile, to target: MaildirFolder, name: MaildirFileName, policy: MaildirPolicy
  ) throws(MaildirError) -> MessageFile {
    let source = try MessageSource.open(file, in: self)
    let copy = try PartFile.create(in: target)
    let made: FileFacts
    do throws(MaildirError) {
      try source.copy(to: copy)
      try copy.setMode(source.facts.permissions)
      made = try copy.complete(modifiedNanoseconds: source.facts.modified)
      if policy.fsync { try copy.sync() }
    } catch {
      copy.discard()
      throw error
    }
    let placed = try target.place(copy, file.subdirectory, name.bytes(separator: policy.separator))
    if policy.fsync { try target.directory(of: file.subdirectory).sync() }
    do throws(MaildirError) {
      try unlink(file, asSeen: source.facts)
    } catch {
      // It was edited, or renamed: the copy is of what it was.
      if let now = try? target.facts(placed), now.isAsSeen(made) {
        try? target.unlink(placed, asSeen: now)
      }
      throw error
    }
    return placed
  }

  /// Renames a finished file from `tmp/` to a free name.
  func place(_ part: PartFile, _ subdirectory: Subdirectory, _ name: [UInt8])
    throws(MaildirError) -> MessageFile
  {
    do throws(MaildirError) {
      var wanted = name
      for ordinal in 2...100 {
        if try tmp.rename(part.name, to: directory(of: subdirectory), wanted) {
          return MessageFile(subdirectory: subdirectory, name: wanted)
        }
        wanted = Self.clashing(name, ordinal: ordinal)
      }
      throw .nameTaken(name: name.forPeople)
    } catch {
      part.discard()
      throw error
    }
  }
}
