import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The few different infos that a folder's names end in, each stored once.
struct SuffixTable: Sendable {
  struct Suffix: Sendable {
    let bytes: [UInt8]
    let flags: MessageFlags
    let letters: KeywordLetters
  }

  private var suffixes: [Suffix] = []
  private var indices: [UInt64: UInt32] = [:]
  private var latest: UInt32 = 0

  subscript(index: UInt32) -> Suffix { suffixes[Int(index)] }

  /// The suffix's number, a new one for a new suffix.
  mutating func index(of suffix: UnsafeRawBufferPointer) -> UInt32 {
    // Neighbours mostly have the same flags.
    if Int(latest) < suffixes.count, suffixes[Int(latest)].bytes.isEqual(to: suffix) {
      return latest
    }
    let hash = XXH3.hash(suffix)
    if let known = indices[hash], suffixes[Int(known)].bytes.isEqual(to: suffix) {
      latest = known
      return known
    }
    let name = MaildirFileName(suffix)
    suffixes.append(
      Suffix(bytes: Array(suffix), flags: name.flags, letters: name.keywordLetters))
    latest = UInt32(suffixes.count - 1)
    indices[hash] = latest
    return latest
  }
}

extension [UInt8] {
  fileprivate func isEqual(to bytes: UnsafeRawBufferPointer) -> Bool {
    count == bytes.count
      && withUnsafeBytes { own in
        guard let a = own.baseAddress, let b = bytes.baseAddress else { return true }
        return memcmp(a, b, bytes.count) == 0
      }
  }
}
