import MailCore
import Maildir
import State

/// Files and orphaned records that may already be what the server has, by the hash of their header (promise 6).
///
/// A name is only a hint: it decides between equals, and where all files carry one, it narrows what must be asked for.
struct FileMatcher {
  enum Match {
    /// A file that no record tells of, and the folder it lies in, where that is not the mailbox's own.
    case file(MessageFile, LocalFolder?)
    /// A record from before UIDVALIDITY changed.
    case orphan(StateStore.Orphan)
  }

  /// What may be a message, in a bounded number of bytes: a tree of a quarter of a million files has as many.
  private struct Candidate {
    let headerHash: UInt64
    /// Where the file's name lies in `names`; the key of an orphan.
    let place: UInt64
    /// 0 where the name hints at none.
    let hint: UInt32
    let nameLength: UInt16
    /// 0 for the mailbox's own, else the place in `others`, from 1; none for an orphan.
    let folder: UInt16
    let subdirectory: Subdirectory
    var isTaken = false

    var isOrphan: Bool { folder == .max }
  }

  private var candidates: [Candidate] = []
  private var isSorted = true
  /// Names end to end, in pieces that are never copied to grow.
  private var names: [[UInt8]] = []
  private static let pieceSize = 1 << 20
  private var others: [LocalFolder] = []
  private(set) var count = 0
  /// UIDs that names hint at.
  private var hints: [UInt32] = []
  private var unhinted = 0

  mutating func reserve(_ count: Int) { candidates.reserveCapacity(candidates.count + count) }

  var isEmpty: Bool { count == 0 }
  /// Every candidate names its UID: no others need be asked for their header.
  var isFullyHinted: Bool { unhinted == 0 }
  var hinted: UIDSet { UIDSet(ranges: hints.map { $0...$0 }) }

  mutating func add(orphan: StateStore.Orphan) {
    add(
      Candidate(
        headerHash: orphan.headerHash, place: UInt64(orphan.key), hint: 0, nameLength: 0,
        folder: .max, subdirectory: .cur))
  }

  /// - Parameter folder: nil for the mailbox's own. A file that lies elsewhere is only ever the message that its name
  ///   says.
  mutating func add(
    _ file: MessageFile, in folder: LocalFolder?, headerHash: UInt64, hint: UID?
  ) {
    guard let number = number(of: folder), file.name.count <= UInt16.max else { return }
    add(
      Candidate(
        headerHash: headerHash, place: keep(file.name), hint: hint?.rawValue ?? 0,
        nameLength: UInt16(file.name.count), folder: number, subdirectory: file.subdirectory))
  }

  private mutating func keep(_ name: [UInt8]) -> UInt64 {
    if names.isEmpty || names[names.count - 1].count + name.count > Self.pieceSize {
      names.append([])
      names[names.count - 1].reserveCapacity(Self.pieceSize)
    }
    let piece = names.count - 1
    let start = names[piece].count
    names[piece] += name
    return UInt64(piece) << 32 | UInt64(start)
  }

  private mutating func add(_ candidate: Candidate) {
    candidates.append(candidate)
    isSorted = false
    count += 1
    if candidate.hint != 0 { hints.append(candidate.hint) } else { unhinted += 1 }
  }

  private mutating func number(of folder: LocalFolder?) -> UInt16? {
    guard let folder else { return 0 }
    if others.last !== folder { others.append(folder) }
    return others.count < Int(UInt16.max) ? UInt16(others.count) : nil
  }

  /// Takes the candidate for this message out, if there is one: orphans first, since they know what was agreed, then
  /// the file whose name hints at the UID.
  mutating func take(headerHash: UInt64, uid: UID) -> Match? {
    let group = places(of: headerHash).filter { !candidates[$0].isTaken }
    let choice =
      group.first { candidates[$0].isOrphan }
      ?? group.first { candidates[$0].hint == uid.rawValue }
      ?? group.first { candidates[$0].hint == 0 }
      ?? group.first { candidates[$0].folder == 0 }
    guard let choice else { return nil }
    candidates[choice].isTaken = true
    let taken = candidates[choice]
    count -= 1
    if taken.hint == 0 { unhinted -= 1 }
    return match(taken)
  }

  private func match(_ candidate: Candidate) -> Match {
    if candidate.isOrphan {
      return .orphan(
        StateStore.Orphan(key: Int64(candidate.place), headerHash: candidate.headerHash))
    }
    return .file(file(candidate), candidate.folder == 0 ? nil : others[Int(candidate.folder) - 1])
  }

  private func file(_ candidate: Candidate) -> MessageFile {
    let start = Int(candidate.place & 0xFFFF_FFFF)
    let piece = names[Int(candidate.place >> 32)]
    return MessageFile(
      subdirectory: candidate.subdirectory,
      name: Array(piece[start..<(start + Int(candidate.nameLength))]))
  }

  /// Files of the mailbox's own folder with this header that no message took.
  mutating func leftovers(headerHash: UInt64) -> [MessageFile] {
    places(of: headerHash).filter { !candidates[$0].isTaken && candidates[$0].folder == 0 }
      .map { file(candidates[$0]) }
  }

  private mutating func places(of headerHash: UInt64) -> Range<Int> {
    if !isSorted {
      candidates.sort { ($0.headerHash, $0.place) < ($1.headerHash, $1.place) }
      isSorted = true
    }
    var low = 0
    var high = candidates.count
    while low < high {
      let middle = (low + high) / 2
      if candidates[middle].headerHash < headerHash { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < candidates.count, candidates[end].headerHash == headerHash { end += 1 }
    return low..<end
  }
}
