import MailCore

/// What a server said of many messages' flags and keywords, in twelve bytes a message.
///
/// Filled in any order, read in ascending order of UID; of two answers for one UID the later counts. However often a
/// server repeats itself, at most twice as many entries are kept as there are messages.
package struct MarkTable: Sendable {
  private struct Entry {
    var uid: UInt32
    var flags: UInt8
    var set: UInt32
  }

  private var entries: [Entry] = []
  private var sets: [Keywords] = [.none]
  private var indexes: [Keywords: UInt32] = [.none: 0]
  private var isSorted = true
  /// At this many entries those that were superseded are dropped.
  private var room = 4096

  package init() {}

  package var count: Int { entries.count }

  package mutating func append(_ uid: UID, _ marks: MessageMarks) {
    if let last = entries.last, last.uid >= uid.rawValue { isSorted = false }
    entries.append(
      Entry(uid: uid.rawValue, flags: marks.flags.rawValue, set: index(of: marks.keywords)))
    guard entries.count >= room else { return }
    sort()
    room = max(room, entries.count * 2)
  }

  private mutating func index(of keywords: Keywords) -> UInt32 {
    if keywords.isEmpty { return 0 }
    if let index = indexes[keywords] { return index }
    let index = UInt32(sets.count)
    sets.append(keywords)
    indexes[keywords] = index
    return index
  }

  /// Sorts and drops superseded answers; call once after the last `append`.
  package mutating func sort() {
    guard !isSorted else { return }
    let order = entries.indices.sorted {
      (entries[$0].uid, $0) < (entries[$1].uid, $1)
    }
    var kept: [Entry] = []
    kept.reserveCapacity(entries.count)
    for index in order {
      if kept.last?.uid == entries[index].uid { kept.removeLast() }
      kept.append(entries[index])
    }
    entries = kept
    isSorted = true
    if sets.count > entries.count + 1024 { dropUnusedSets() }
  }

  private mutating func dropUnusedSets() {
    let old = sets
    sets = [.none]
    indexes = [.none: 0]
    for place in entries.indices {
      entries[place].set = index(of: old[Int(entries[place].set)])
    }
  }

  package subscript(position: Int) -> (uid: UID, marks: MessageMarks) {
    let entry = entries[position]
    return (
      UID(entry.uid),
      MessageMarks(flags: MessageFlags(rawValue: entry.flags), keywords: sets[Int(entry.set)])
    )
  }
}

extension MarkTable {
  package subscript(range: Range<Int>) -> ArraySlice<(uid: UID, marks: MessageMarks)> {
    range.map { self[$0] }[...]
  }
}
