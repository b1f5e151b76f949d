import MailCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Remembers the last few flag lists with keywords: neighbouring messages mostly share theirs, and
/// making a ``Keywords`` costs far more than comparing bytes.
struct KeywordCache {
  private var entries: [(list: [UInt8], keywords: Keywords)] = []
  private var oldest = 0
  private static let size = 16

  mutating func keywords(
    for list: UnsafeRawBufferPointer, make: () -> Keywords
  ) -> Keywords {
    for entry in entries where entry.list.count == list.count {
      let isSame = entry.list.withUnsafeBytes { known in
        guard let a = known.baseAddress, let b = list.baseAddress else { return true }
        return memcmp(a, b, known.count) == 0
      }
      if isSame { return entry.keywords }
    }
    let keywords = make()
    guard list.count <= 1024 else { return keywords }
    if entries.count < Self.size {
      entries.append((Array(list), keywords))
    } else {
      entries[oldest] = (Array(list), keywords)
      oldest = (oldest + 1) % Self.size
    }
    return keywords
  }
}
