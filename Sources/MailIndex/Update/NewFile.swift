import MailCore
import Maildir

/// Names that a scan found, in one piece of memory: a first build meets all of them at once.
struct NameArena: Sendable {
  private var bytes: [UInt8] = []

  struct Place: Sendable {
    fileprivate let start: UInt32
    fileprivate let count: UInt16
  }

  mutating func add(_ name: UnsafeRawBufferPointer) -> Place {
    let place = Place(start: UInt32(clamping: bytes.count), count: UInt16(clamping: name.count))
    bytes.append(contentsOf: name)
    return place
  }

  var count: Int { bytes.count }
  mutating func cut(to count: Int) { bytes.removeLast(max(0, bytes.count - count)) }

  func name(at place: Place) -> [UInt8] {
    Array(bytes[Int(place.start)..<Int(place.start) + Int(place.count)])
  }

  /// The number that a name begins with, which is mostly the time of delivery; 0 without one.
  func leadingNumber(at place: Place) -> Int64 {
    var value: Int64 = 0
    for byte in bytes[Int(place.start)...].prefix(min(Int(place.count), 12)) {
      guard byte &- 48 < 10 else { break }
      value = value * 10 + Int64(byte &- 48)
    }
    return value
  }
}

/// A file in the tree that the index does not have in this place.
struct NewFile: Sendable {
  let name: NameArena.Place
  /// As the directory tells it.
  let inode: UInt64
  /// Place in the list of scanned folders.
  let folder: Int32
  let subdirectory: Subdirectory
  /// The row that it replaces: the same name with another inode. 0 for none.
  let replaces: Int64

  func file(_ names: NameArena) -> MessageFile {
    MessageFile(subdirectory: subdirectory, name: names.name(at: name))
  }
}

extension IndexFlags {
  init(_ flags: MessageFlags) {
    var set: IndexFlags = []
    if flags.contains(.seen) { set.insert(.seen) }
    if flags.contains(.answered) { set.insert(.replied) }
    if flags.contains(.flagged) { set.insert(.flagged) }
    if flags.contains(.draft) { set.insert(.draft) }
    if flags.contains(.deleted) { set.insert(.trashed) }
    if flags.contains(.forwarded) { set.insert(.passed) }
    self = set
  }
}
