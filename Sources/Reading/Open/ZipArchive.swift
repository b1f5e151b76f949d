/// The files in a ZIP archive (PKWARE APPNOTE 6.3), as its directory names them.
struct ZipArchive {
  struct Entry {
    var name: String
    var isDeflated: Bool
    var packed: Int
    var unpacked: Int
    /// Of its own header.
    var start: Int
  }

  let entries: [Entry]
  /// Bytes of the archive.
  var count: Int { bytes.count }
  private let bytes: UnsafeRawBufferPointer

  /// Nil for what is none, is cut, or is larger than four gigabytes.
  init?(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    let last = bytes.count - 22
    guard last >= 0,
      let end = stride(from: last, through: max(0, last - 65_535), by: -1).first(where: {
        bytes[$0...].starts(with: [0x50, 0x4B, 5, 6])
      })
    else { return nil }
    var entries: [Entry] = []
    var place = Self.number(bytes, end + 16, 4)
    for _ in 0..<Self.number(bytes, end + 10, 2) {
      guard place + 46 <= bytes.count, bytes[place...].starts(with: [0x50, 0x4B, 1, 2]) else {
        return nil
      }
      let method = Self.number(bytes, place + 10, 2)
      let isLocked = bytes[place + 8] & 1 == 1
      let length = Self.number(bytes, place + 28, 2)
      let next =
        place + 46 + length + Self.number(bytes, place + 30, 2)
        + Self.number(bytes, place + 32, 2)
      guard next <= bytes.count, !isLocked, method == 0 || method == 8 else { return nil }
      entries.append(
        Entry(
          name: String(decoding: bytes[(place + 46)..<(place + 46 + length)], as: UTF8.self),
          isDeflated: method == 8, packed: Self.number(bytes, place + 20, 4),
          unpacked: Self.number(bytes, place + 24, 4),
          start: Self.number(bytes, place + 42, 4)))
      place = next
    }
    self.entries = entries
  }

  /// Whether its content begins as XML does, in whatever Unicode; or with many blanks.
  func isMarkup(_ entry: Entry) -> Bool {
    guard entry.unpacked > 0, let packed = packed(entry) else { return false }
    let head = entry.isDeflated ? Inflating.head(of: packed) : Array(packed.prefix(Inflating.head))
    let start = head.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF, 0xFE, 0xFF].contains($0) }
    return start.first.map { $0 == UInt8(ascii: "<") } ?? true
  }

  /// - Returns: nil where it is damaged or longer than `most` bytes.
  func content(of entry: Entry, most: Int) -> [UInt8]? {
    guard let packed = packed(entry) else { return nil }
    if entry.isDeflated { return Inflating.bytes(of: packed, most: most) }
    return packed.count <= most ? Array(packed) : nil
  }

  private func packed(_ entry: Entry) -> UnsafeRawBufferPointer? {
    guard entry.start + 30 <= bytes.count,
      bytes[entry.start...].starts(with: [0x50, 0x4B, 3, 4])
    else { return nil }
    let start =
      entry.start + 30 + Self.number(bytes, entry.start + 26, 2)
      + Self.number(bytes, entry.start + 28, 2)
    guard start + entry.packed <= bytes.count else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + entry.packed)])
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }
}
