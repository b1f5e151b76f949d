#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Character references by number, which gumbo adds up without a limit: a number too large becomes any byte.
enum NumericReferences {
  /// Makes every number that no character has U+FFFD, as browsers do, in its place and length.
  static func bound(in page: UnsafeMutableRawBufferPointer) {
    var place = 0
    while place < page.count, let start = page.baseAddress,
      let found = memchr(start + place, Int32(ASCII.ampersand), page.count - place)
    {
      place = found - UnsafeMutableRawPointer(start) + 1
      guard place < page.count, page[place] == ASCII.number else { continue }
      let isHexadecimal = place + 1 < page.count && page[place + 1] | 0x20 == UInt8(ascii: "x")
      let digits = place + (isHexadecimal ? 2 : 1)
      var end = digits
      while end < page.count,
        isHexadecimal ? ASCII.hexValue(page[end]) != nil : ASCII.isDigit(page[end])
      {
        end += 1
      }
      place = end
      let leading = page[digits..<end].prefix { $0 == ASCII.zero }.count
      // As many digits as the largest character has: still far from an overflow.
      guard end - digits - leading > (isHexadecimal ? 6 : 7) else { continue }
      let replacement: StaticString = isHexadecimal ? "fffd" : "65533"
      let length = replacement.utf8CodeUnitCount
      for index in digits..<end { page[index] = ASCII.zero }
      for index in 0..<length { page[end - length + index] = replacement.utf8Start[index] }
    }
  }
}
