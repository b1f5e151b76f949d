#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Slice<UnsafeRawBufferPointer> {
  /// Where the first line's content ends and the next line starts; CR LF and LF break lines.
  var lineEnd: (content: Int, next: Int) {
    guard let start = base.baseAddress, !isEmpty,
      let found = memchr(start + startIndex, 0x0A, count)
    else { return (endIndex, endIndex) }
    let feed = start.distance(to: UnsafeRawPointer(found))
    let hasReturn = feed > startIndex && base[feed - 1] == 0x0D
    return (hasReturn ? feed - 1 : feed, feed + 1)
  }
}
