import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks in a body that comes in pieces for lines as they stand in the place of a part which is not here.
struct PartWords {
  private(set) var areFound = false
  /// The last bytes of what came so far: such a line may begin there.
  private var tail: [UInt8] = []

  private static let words = ["X-Mirror-Part:", "Not here: "].map { Array($0.utf8) }
  /// With the line end before it.
  private static let longest = 15

  mutating func look(in bytes: UnsafeRawBufferPointer) {
    guard !areFound, !bytes.isEmpty else { return }
    if !tail.isEmpty {
      let seam = tail + bytes.prefix(Self.longest - 1)
      areFound = seam.withUnsafeBytes { Self.hold($0) }
    }
    areFound = areFound || Self.hold(bytes)
    tail = Array((tail + bytes.suffix(Self.longest - 1)).suffix(Self.longest - 1))
  }

  private static func hold(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard var place = bytes.baseAddress else { return false }
    let end = place + bytes.count
    while let feed = memchr(place, Int32(ASCII.lf), end - place) {
      place = UnsafeRawPointer(feed) + 1
      guard place < end else { return false }
      // Of most lines this is all that is looked at.
      let first = place.load(as: UInt8.self)
      guard first == UInt8(ascii: "X") || first == UInt8(ascii: "N") else { continue }
      let isHere = words.contains { end - place >= $0.count && memcmp(place, $0, $0.count) == 0 }
      if isHere { return true }
    }
    return false
  }
}
