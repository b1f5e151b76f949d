#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// Whether these bytes stand somewhere in it.
  func holds(_ word: [UInt8]) -> Bool {
    guard let start = baseAddress, let first = word.first, count >= word.count else { return false }
    var place = 0
    let last = count - word.count
    while place <= last, let found = memchr(start + place, Int32(first), last - place + 1) {
      if memcmp(found, word, word.count) == 0 { return true }
      place = UnsafeRawPointer(found) - start + 1
    }
    return false
  }

  func holds(_ word: String) -> Bool { holds(Array(word.utf8)) }
}
