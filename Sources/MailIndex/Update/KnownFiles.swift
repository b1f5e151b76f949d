import GRDB
import Maildir

/// The files of one folder, or of one of its directories, as the index has them, to be compared with what is there:
/// 28 bytes a file and no string, whatever their number.
struct KnownFiles {
  struct Entry {
    let nameHash: Int64
    let inode: Int64
    let id: Int64
  }

  private var entries: [Entry] = []
  /// Open addressing: place in `entries`, or -1.
  private var slots: [Int32] = []
  private var shift: UInt64 = 0
  private var seen: [Bool] = []

  init(_ db: Database, mailbox: Int64, _ subdirectories: Set<Subdirectory>) throws {
    let rows = try RowStatement(
      db, "SELECT name_hash, inode, id FROM file WHERE mailbox = ?1 AND subdirectory = ?2")
    for subdirectory in subdirectories {
      rows.bind(mailbox, at: 1)
      rows.bind(Int64(subdirectory.rawValue), at: 2)
      try rows.forEachRow {
        entries.append(Entry(nameHash: $0.number(0), inode: $0.number(1), id: $0.number(2)))
      }
    }
    fillSlots()
  }

  private mutating func fillSlots() {
    var bits: UInt64 = 4
    while 1 << bits < entries.count * 2 { bits += 1 }
    shift = 64 - bits
    slots = Array(repeating: -1, count: 1 << bits)
    for (index, entry) in entries.enumerated() {
      var slot = Int(UInt64(bitPattern: entry.nameHash) >> shift)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(truncatingIfNeeded: index)
    }
    startPass()
  }

  /// Forgets which were seen.
  mutating func startPass() { seen = Array(repeating: false, count: entries.count) }

  /// Marks the file as seen and returns what is known of it; nil for a name that is not known.
  mutating func see(_ nameHash: Int64) -> Entry? {
    var slot = Int(UInt64(bitPattern: nameHash) >> shift)
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      if entries[index].nameHash == nameHash {
        seen[index] = true
        return entries[index]
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  var unseen: [Entry] { entries.indices.lazy.filter { !seen[$0] }.map { entries[$0] } }

  /// A name's hash; its lowest bit is 1 in `cur`.
  static func hash(_ subdirectory: Subdirectory, _ name: UnsafeRawBufferPointer) -> Int64 {
    Int64(bitPattern: XXH3.hash(name) & ~1 | (subdirectory == .cur ? 1 : 0))
  }
}
