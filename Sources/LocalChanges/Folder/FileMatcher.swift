import MailCore
import Maildir
import State

/// Files and orphaned records that may already be what the server has, by the hash of their header (promise 6).
///
/// A name is only a hint: it decides between equals, and where all files carry one, it narrows what must be asked for.
package struct FileMatcher {
  package enum Match {
    /// A file that no record tells of, and the folder it lies in, where that is not the mailbox's own.
    case file(MessageFile, LocalFolder?)
    /// A record from before UIDVALIDITY changed.
    case orphan(StateStore.Orphan)
  }

  /// What may be a message, in a bounded number of bytes: a tree of a quarter of a million files has as many.
  private struct Candidate {
    let headerHash: HeaderHash
    /// Where the file's name lies in `names`; the key of an orphan.
    let place: UInt64
    /// 0 where the name hints at none.
    let hint: UInt32
    let nameLength: UInt16
    /// 0 for the mailbox's own, else the place in `others`, from 1; none for an orphan.
    let folder: UInt16
    let subdirectory: Subdirectory
    /// In the mailbox's own folder, with the name of another mailbox: it may be that one's message, moved here.
    var isStray = false
    var isTaken = false

    var isOrphan: Bool { folder == .max }
  }

  private var candidates: [Candidate] = []
  private var isSorted = true
  /// Names end to end, in pieces that are never copied to grow.
  private var names: [[UInt8]] = []
  private static let pieceSize = 1 << 20
  private var others: [LocalFolder] = []
  private var numbers: [ObjectIdentifier: UInt16] = [:]
  package private(set) var count = 0
  /// UIDs that names hint at.
  private var hints: [UInt32] = []
  private var unhinted = 0
  /// Files of the mailbox's own folder of which nothing but the name is known.
  package private(set) var unread: [MessageFile] = []

  package init() {}

  package mutating func reserve(_ count: Int) {
    candidates.reserveCapacity(candidates.count + count)
  }

  package var isEmpty: Bool { count == 0 }
  /// Every candidate names its UID: no others need be asked for their header.
  package var isFullyHinted: Bool { unhinted == 0 }
  package var hinted: UIDSet { UIDSet(ranges: hints.map { $0...$0 }) }

  package mutating func add(orphan: StateStore.Orphan) {
    add(
      Candidate(
        headerHash: orphan.headerHash, place: UInt64(orphan.key), hint: 0, nameLength: 0,
        folder: .max, subdirectory: .cur))
  }

  /// - Parameter folder: nil for the mailbox's own. A file that lies elsewhere is only ever the message that its name
  ///   says.
  package mutating func add(
    _ file: MessageFile, in folder: LocalFolder?, headerHash: HeaderHash, hint: UID?,
    isStray: Bool = false
  ) {
    guard let number = number(of: folder), file.name.count <= UInt16.max else { return }
    add(
      Candidate(
        headerHash: headerHash, place: keep(file.name), hint: hint?.rawValue ?? 0,
        nameLength: UInt16(file.name.count), folder: number, subdirectory: file.subdirectory,
        isStray: isStray))
  }

  package mutating func add(unread file: MessageFile) { unread.append(file) }

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
    if let number = numbers[ObjectIdentifier(folder)] { return number }
    guard others.count < Int(UInt16.max) - 1 else { return nil }
    others.append(folder)
    numbers[ObjectIdentifier(folder)] = UInt16(others.count)
    return UInt16(others.count)
  }

  /// A candidate's place, good until another is added.
  package typealias Place = Int

  /// The candidates for this message that none has taken, the likeliest first: orphans, since they know what was agreed,
  /// then the file whose name hints at the UID, then those that hint at nothing, and last those that hint at others.
  package mutating func places(headerHash: HeaderHash, uid: UID) -> [Place] {
    let group = places(of: headerHash).filter { !candidates[$0].isTaken }
    var ranked: [(rank: Int, place: Place)] = []
    for place in group {
      if let rank = rank(candidates[place], uid) { ranked.append((rank, place)) }
    }
    if ranked.count > 1 { ranked.sort { $0 < $1 } }
    return ranked.map(\.place)
  }

  private func rank(_ candidate: Candidate, _ uid: UID) -> Int? {
    if candidate.isOrphan { return 0 }
    if candidate.hint == uid.rawValue { return 1 }
    guard candidate.folder == 0 else { return nil }
    if candidate.isStray { return 4 }
    return candidate.hint == 0 ? 2 : 3
  }

  package func isTaken(_ place: Place) -> Bool { candidates[place].isTaken }

  /// From now on it is no other message's.
  package mutating func take(_ place: Place) {
    guard !candidates[place].isTaken else { return }
    candidates[place].isTaken = true
    count -= 1
    if candidates[place].hint == 0 { unhinted -= 1 }
  }

  package func match(_ place: Place) -> Match {
    let candidate = candidates[place]
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
  package mutating func leftovers(headerHash: HeaderHash) -> [MessageFile] {
    places(of: headerHash).filter { !candidates[$0].isTaken && candidates[$0].folder == 0 }
      .map { file(candidates[$0]) }
  }

  /// Every file of the mailbox's own folder that no message took.
  package func forEachLeftover(_ body: (MessageFile) throws -> Void) rethrows {
    for candidate in candidates where !candidate.isTaken && candidate.folder == 0 {
      try body(file(candidate))
    }
  }

  private mutating func places(of headerHash: HeaderHash) -> Range<Int> {
    if !isSorted {
      // The numbers: a call for each comparison would cost as much as the rest.
      candidates.sort {
        ($0.headerHash.rawValue, $0.place) < ($1.headerHash.rawValue, $1.place)
      }
      isSorted = true
    }
    let number = headerHash.rawValue
    var low = 0
    var high = candidates.count
    while low < high {
      let middle = (low + high) / 2
      if candidates[middle].headerHash.rawValue < number { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < candidates.count, candidates[end].headerHash.rawValue == number { end += 1 }
    return low..<end
  }
}
