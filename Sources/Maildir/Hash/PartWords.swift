import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks in a body that comes in pieces for the text that replaces a part which is not here.
struct PartWords {
  private(set) var areFound = false
  /// The last bytes of what came so far: it may begin there.
  private var tail: [UInt8] = []

  /// What precedes a colon: the field of such a part, and the command that its text names.
  private static let words = [
    "\nx-mirror-part", "mirror fill id", "mirror fill 'id", "mirror fill is",
  ].map { Array($0.utf8) }
  /// With the colon, less one.
  private static let longest = 15

  mutating func look(in bytes: UnsafeRawBufferPointer) {
    guard !areFound, !bytes.isEmpty else { return }
    if !tail.isEmpty {
      tail.append(contentsOf: bytes.prefix(Self.longest))
      areFound = tail.withUnsafeBytes { Self.hold($0) }
    }
    areFound = areFound || Self.hold(bytes)
    if bytes.count >= Self.longest || tail.isEmpty {
      tail.removeAll(keepingCapacity: true)
      tail.append(contentsOf: bytes.suffix(Self.longest))
    } else {
      tail.removeFirst(max(0, tail.count - Self.longest))
    }
  }

  /// Of what is encoded no byte is a colon, and most of a message is that.
  private static func hold(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    let end = start + bytes.count
    var place = start
    while let colon = memchr(place, Int32(UInt8(ascii: ":")), end - place) {
      let colon = UnsafeRawPointer(colon)
      if words.contains(where: { follows($0, colon, start) }) { return true }
      place = colon + 1
    }
    return false
  }

  /// In any spelling.
  private static func follows(
    _ word: [UInt8], _ colon: UnsafeRawPointer, _ start: UnsafeRawPointer
  ) -> Bool {
    guard colon - start >= word.count else { return false }
    let bytes = UnsafeRawBufferPointer(start: colon - word.count, count: word.count)
    return zip(bytes, word).allSatisfy { ASCII.lowered($0) == $1 }
  }
}
