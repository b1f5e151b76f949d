/// Documents of Office Open XML and OpenDocument, looked into for what they run and for what their program fetches.
struct OfficeArchive {
  private let archive: ZipArchive
  /// Bytes of parts that may still be unpacked here; more is in no ordinary document.
  private var left = 32 << 20

  /// Bytes that the whole document may unpack to: its program unpacks all.
  private static let mostUnpacked = 256 << 20
  /// A part this much larger than packed, and than this, only fills the memory.
  private static let most = (times: 200, bytes: 16 << 20)

  static func find(in content: UnsafeRawBufferPointer) -> DocumentTrap? {
    guard let archive = ZipArchive(content) else { return .unreadable }
    var office = OfficeArchive(archive: archive)
    return office.find()
  }

  private init(archive: ZipArchive) { self.archive = archive }

  private mutating func find() -> DocumentTrap? {
    var names: Set<String> = []
    for entry in archive.entries {
      let name = entry.name.lowercased()
      // Of two parts of one name each program takes the one it likes.
      guard names.insert(name).inserted else { return .unreadable }
      if let trap = Self.named(name) { return trap }
    }
    if isBomb { return .large }
    for entry in archive.entries {
      let name = entry.name.lowercased()
      // A document's parts may have any name; relations say which they are.
      guard name.hasSuffix(".xml") || name.hasSuffix(".rels") || archive.isMarkup(entry) else {
        continue
      }
      guard entry.unpacked <= left else { return .large }
      guard let part = archive.content(of: entry, most: entry.unpacked),
        part.count == entry.unpacked, let text = OfficePart.readable(part)
      else { return .unreadable }
      left -= part.count
      let trap = text.withUnsafeBytes { bytes in
        var part = OfficePart(bytes, name: name)
        return part.find()
      }
      if let trap { return trap }
    }
    return nil
  }

  private static func named(_ name: String) -> DocumentTrap? {
    if name.hasSuffix("vbaproject.bin") || name.hasPrefix("basic/") || name.hasPrefix("scripts/")
      || name.contains("activex/") || name.contains("macrosheets/")
    {
      return .macros
    }
    return name.contains("externallinks/") || name.contains("webextensions/") ? .elsewhere : nil
  }

  private var isBomb: Bool {
    let entries = archive.entries
    return entries.reduce(0) { $0 + $1.unpacked } > Self.mostUnpacked
      // Parts that share their bytes.
      || entries.reduce(0) { $0 + $1.packed } > archive.count
      || entries.contains { entry in
        entry.unpacked > Self.most.bytes && entry.unpacked / Self.most.times > entry.packed
      }
  }
}
