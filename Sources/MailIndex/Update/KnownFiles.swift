import GRDB
import Maildir

/// The files of one folder as the index has them, to be compared with its directories: 28 bytes a
/// file and no string, whatever their number.
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

  init(_ db: Database, mailbox: Int64) throws {
    let rows = try RowStatement(db, "SELECT name_hash, inode, id FROM file WHERE mailbox = ?")
    rows.bind(mailbox, at: 1)
    try rows.forEachRow {
      entries.append(Entry(nameHash: $0.number(0), inode: $0.number(1), id: $0.number(2)))
    }
    fillSlots()
  }

  init(_ entries: [Entry]) {
    self.entries = entries
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
  var count: Int { entries.count }

  /// A name's hash, its subdirectory included.
  static func hash(_ subdirectory: Subdirectory, _ name: UnsafeRawBufferPointer) -> Int64 {
    let hash = XXH3.hash(name)
    return Int64(bitPattern: subdirectory == .cur ? hash : hash ^ 0x9E37_79B9_7F4A_7C15)
  }
}
