import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Removing and replacing files that readers edit in place: between the last look and the unlink lies a moment, in which
/// a reader may save into the file. So it is put aside first, in `tmp/`, under a name that no reader opens, and looked at
/// there; what is not what was read goes back.
///
/// Whoever has opened the file before and writes into it later cannot be seen: what it writes then goes with the file, as
/// with any program that removes one.
///
/// A run that is killed in between leaves the file under an ``AsideName``, and ``cleanTemporaryFiles()`` settles it.
extension MaildirFolder {
  /// Removes the file if it is still as it was when it was read.
  ///
  /// - Parameter seen: the file's facts from before that.
  /// - Throws: `vanished` where it is not: it is there under its name, or was renamed. Look again.
  package func unlink(_ file: MessageFile, asSeen seen: FileFacts) throws(MaildirError) {
    let directory = directory(of: file.subdirectory)
    guard let now = try directory.entryFacts(file.name), now.isUntouched(since: seen) else {
      throw .vanished(name: file.description)
    }
    let aside = AsideName(file, seen: seen)
    do throws(MaildirError) {
      guard try directory.rename(file.name, to: tmp, aside.bytes) else {
        throw .nameTaken(name: file.description)
      }
    } catch {
      guard Self.isLackOfRoom(error) else { throw error }
      // No place to put it aside: on a full disk files must go all the same.
      try directory.unlink(file.name)
      return
    }
    try settle(aside, file, seen)
  }

  private static func isLackOfRoom(_ error: MaildirError) -> Bool {
    switch error {
    case .noSpace, .overQuota: true
    // `tmp` lies on another file system, or its names must be shorter.
    case .system(_, _, let code): code == EXDEV || code == ENAMETOOLONG
    default: false
    }
  }

  /// Unlinks what was put aside, or puts it back.
  private func settle(_ aside: AsideName, _ file: MessageFile, _ seen: FileFacts)
    throws(MaildirError)
  {
    if let facts = try tmp.entryFacts(aside.bytes), facts.isAsSeen(seen) {
      try tmp.unlink(aside.bytes)
      return
    }
    _ = try bringBack(aside)
    throw .vanished(name: file.description)
  }

  /// Gives what was put aside its name again, or one like it where that is taken.
  func bringBack(_ aside: AsideName) throws(MaildirError) -> MessageFile {
    var wanted = aside.name
    for ordinal in 2...100 {
      if try tmp.rename(aside.bytes, to: directory(of: aside.subdirectory), wanted) {
        return MessageFile(subdirectory: aside.subdirectory, name: wanted)
      }
      wanted = Self.clashing(aside.name, ordinal: ordinal)
    }
    throw .nameTaken(name: aside.name.forPeople)
  }

  /// Puts a copy of another file, durably, in the place of one that is still as it was when it was read.
  ///
  /// - Parameter seen: the replaced file's facts from before it was read.
  /// - Throws: `vanished` where it is not, or was renamed: nothing has changed then.
  package func replace(
    _ file: MessageFile, withCopyOf other: MessageFile, in source: MaildirFolder,
    asSeen seen: FileFacts, policy: MaildirPolicy
  ) throws(MaildirError) {
    let original = try MessageSource.open(other, in: source)
    let copy = try PartFile.create(in: self)
    do throws(MaildirError) {
      try original.copy(to: copy)
      try copy.setMode(original.facts.permissions)
      let made = try copy.complete(modifiedNanoseconds: original.facts.modified)
      if policy.fsync { try copy.sync() }
      try replace(file, with: copy, made, asSeen: seen)
    } catch {
      copy.discard()
      throw error
    }
    if policy.fsync { try directory(of: file.subdirectory).sync() }
  }

  /// Puts a file of ours in the place of one that is still as it was when it was read.
  ///
  /// - Parameters:
  ///   - part: complete, and its facts.
  ///   - seen: the replaced file's facts from before it was read.
  /// - Throws: `vanished` where it is not, or was renamed: nothing has changed then.
  func replace(_ file: MessageFile, with part: PartFile, _ made: FileFacts, asSeen seen: FileFacts)
    throws(MaildirError)
  {
    let directory = directory(of: file.subdirectory)
    guard let now = try directory.entryFacts(file.name), now.isUntouched(since: seen) else {
      throw .vanished(name: file.description)
    }
    let aside = AsideName(file, seen: seen, ownInode: made.inode)
    do throws(MaildirError) {
      try part.rename(to: aside.bytes)
    } catch {
      guard case .system(_, _, ENAMETOOLONG) = error else { throw error }
    }
    guard part.name == aside.bytes,
      try directory.exchange(file.name, with: aside.bytes, of: tmp)
    else {
      // A file system without an exchange: an edit in this very moment is lost.
      try directory.replace(file.name, with: part.name, of: tmp)
      part.isPlaced = true
      return
    }
    part.isPlaced = true
    if let facts = try tmp.entryFacts(aside.bytes), facts.isAsSeen(seen) {
      _ = try? tmp.unlink(aside.bytes)  // The next run unlinks what is left.
      return
    }
    try takeBack(file, made, aside)
    throw .vanished(name: file.description)
  }

  /// What was replaced is not what was read: it goes back to its place, and ours away, unless a reader has given that
  /// another name by now. Then both stay.
  private func takeBack(_ file: MessageFile, _ made: FileFacts, _ aside: AsideName)
    throws(MaildirError)
  {
    let directory = directory(of: file.subdirectory)
    if let now = try directory.entryFacts(file.name), now.isAsSeen(made),
      try directory.exchange(file.name, with: aside.bytes, of: tmp),
      let back = try tmp.entryFacts(aside.bytes), back.isAsSeen(made)
    {
      try tmp.unlink(aside.bytes)
      return
    }
    _ = try bringBack(aside)
  }
}
