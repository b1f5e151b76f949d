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

  /// What stands before the colon.
  private static let part = Array("\nX-Mirror-Part".utf8)
  private static let notHere = Array("\nNot here".utf8)
  /// With the line end before it and what follows, less one.
  private static let longest = 14

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
      place = colon + 1
      if follows(part, colon, start) { return true }
      guard place < end, place.load(as: UInt8.self) == UInt8(ascii: " ") else { continue }
      if follows(notHere, colon, start) { return true }
    }
    return false
  }

  private static func follows(
    _ word: [UInt8], _ colon: UnsafeRawPointer, _ start: UnsafeRawPointer
  ) -> Bool {
    colon - start >= word.count && memcmp(colon - word.count, word, word.count) == 0
  }
}
