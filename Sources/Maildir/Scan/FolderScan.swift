import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Every message file of a folder: 16 bytes each, ascending by the hash of the base name. Symbolic links are none.
///
/// A rename while a directory is read can hide a file altogether, so the read is repeated while the
/// directories change; if they never rest, ``isRaced`` is set and nothing may be concluded from a
/// name that is missing.
package struct FolderScan: Sendable {
  package struct Entry: Sendable {
    package let baseHash: NameHash
    /// Bit 0: subdirectory; the rest: index into the suffixes.
    fileprivate let place: UInt32
  }

  /// Where a base name was found, and with which flags.
  package struct Found: Sendable, Hashable {
    package let subdirectory: Subdirectory
    /// From the separator on, as it stands in the name; empty in most of `new/`.
    package let suffix: [UInt8]
    package let flags: MessageFlags
    package let keywordLetters: KeywordLetters

    package func file(base: [UInt8]) -> MessageFile {
      MessageFile(subdirectory: subdirectory, name: base + suffix)
    }
  }

  /// Taken before the directories were read.
  package let stamp: FolderStamp
  package let isRaced: Bool
  private let entries: [Entry]
  private let suffixes: SuffixTable
  /// Hashes of the base names of symbolic links.
  private let links: Set<NameHash>

  /// - Parameter tries: how often a changing folder is read before the scan is called raced.
  package static func read(_ folder: MaildirFolder, tries: Int = 4) throws(MaildirError)
    -> FolderScan
  {
    var tried = 1
    while true {
      let (stamp, isBlind) = try quietStamp(folder)
      let (entries, suffixes, links) = try collect(folder)
      let after = try folder.stamp()
      let isRaced = isBlind || !after.matches(stamp)
      if !isRaced || tried >= tries {
        return FolderScan(
          stamp: stamp, isRaced: isRaced, entries: entries, suffixes: suffixes, links: links)
      }
      tried += 1
    }
  }

  /// A stamp old enough that any change during the read will show; `isBlind` where it would not.
  /// Waits one tick of the clock, and only after a change that has just been, or that has a time in the future.
  package static func quietStamp(_ folder: MaildirFolder) throws(MaildirError)
    -> (FolderStamp, isBlind: Bool)
  {
    let first = try folder.look()
    guard first.couldHideChange(after: wallClock()) else { return (first.stamp, false) }
    let pause = first.pause(at: wallClock())
    usleep(UInt32(pause / 1000))
    let later = try folder.look()
    return (later.stamp, later.couldHideChange(after: wallClock(), asBefore: (first, pause)))
  }

  private static func collect(_ folder: MaildirFolder) throws(MaildirError)
    -> ([Entry], SuffixTable, Set<NameHash>)
  {
    var entries: [Entry] = []
    var links: Set<NameHash> = []
    var suffixes = SuffixTable()
    for subdirectory in Subdirectory.allCases {
      let bit = UInt32(subdirectory.rawValue)
      try MessageNames.forEach(in: folder.directory(of: subdirectory)) {
        name, cut, isLink in
        let hash = NameHash(of: UnsafeRawBufferPointer(rebasing: name[..<cut]))
        if isLink {
          links.insert(hash)
          return
        }
        let suffix = suffixes.index(of: UnsafeRawBufferPointer(rebasing: name[cut...]))
        entries.append(Entry(baseHash: hash, place: suffix << 1 | bit))
      }
    }
    // The numbers, for speed: see `[NameHash].sortAscending()`.
    entries.sort { ($0.baseHash.rawValue, $0.place) < ($1.baseHash.rawValue, $1.place) }
    return (entries, suffixes, links)
  }

  package var count: Int { entries.count }

  /// Ascending by hash.
  package subscript(index: Int) -> Entry { entries[index] }

  package func found(_ entry: Entry) -> Found {
    let suffix = suffixes[entry.place >> 1]
    return Found(
      subdirectory: entry.place & 1 == 0 ? .new : .cur, suffix: suffix.bytes,
      flags: suffix.flags, keywordLetters: suffix.letters)
  }

  package func find(base: [UInt8]) -> Found? { find(hash: NameHash(of: base)) }

  /// The file with that base name; of several, one in `cur/` before one in `new/`.
  package func find(hash: NameHash) -> Found? {
    let all = range(of: hash)
    let best = entries[all].last { $0.place & 1 == 1 } ?? entries[all].last
    return best.map(found)
  }

  /// The same; of several rather one that has all of these flags, and the most besides. No reader leaves a file behind
  /// under its old name: what lies beside it was copied, or put back from a time when the message had fewer.
  package func find(hash: NameHash, preferring flags: MessageFlags) -> Found? {
    let all = range(of: hash)
    guard all.count > 1 else { return all.first.map { found(entries[$0]) } }
    let whole = entries[all].map(found).filter { $0.flags.isSuperset(of: flags) }
    return whole.max { $0.flags.rawValue.nonzeroBitCount < $1.flags.rawValue.nonzeroBitCount }
      ?? find(hash: hash)
  }

  /// Every file with that base name.
  package func all(hash: NameHash) -> [Found] { entries[range(of: hash)].map(found) }

  /// Whether a symbolic link has this base name: it is no message, wherever it leads, but the name is there.
  package func holdsLink(hash: NameHash) -> Bool { links.contains(hash) }

  package func contains(hash: NameHash) -> Bool { !range(of: hash).isEmpty }

  /// Hashes of base names that occur more than once: two programs renamed one file, or a copy kept
  /// its name.
  package var duplicates: [NameHash] {
    var hashes: [NameHash] = []
    for index in entries.indices.dropFirst()
    where entries[index].baseHash == entries[index - 1].baseHash
      && hashes.last != entries[index].baseHash
    {
      hashes.append(entries[index].baseHash)
    }
    return hashes
  }

  private func range(of hash: NameHash) -> Range<Int> {
    let number = hash.rawValue
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].baseHash.rawValue < number { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < entries.count, entries[end].baseHash.rawValue == number { end += 1 }
    return low..<end
  }
}
