import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Words of ours at the start of a line: of fields that tell of absent parts, the line above a stub, and the text in such a
/// part's place.
package enum PartMark {
  private static let marks = ["X-Mirror-", "Not here: "].map { Array($0.utf8) }

  /// Most files have none.
  package static func isFound(in content: [UInt8]) -> Bool {
    content.withUnsafeBytes { bytes in
      guard var place = bytes.baseAddress else { return false }
      let end = place + bytes.count
      while place < end {
        let isHere = marks.contains { mark in
          end - place >= mark.count && memcmp(place, mark, mark.count) == 0
        }
        if isHere { return true }
        guard let lineEnd = memchr(place, 10, end - place) else { return false }
        place = UnsafeRawPointer(lineEnd) + 1
      }
      return false
    }
  }
}

extension MaildirFolder {
  /// No stub is longer: what remains of a message is put together in memory.
  private static let longestStub = 16 << 20

  /// The bytes of a file that may lack parts of its message, by words of ours at a line's start; nil for most files.
  package func contentIfMarked(_ file: MessageFile) throws(MaildirError) -> [UInt8]? {
    guard try facts(file).size <= UInt64(Self.longestStub) else { return nil }
    let content = try MessageSource.open(file, in: self).head(Self.longestStub)
    return PartMark.isFound(in: content) ? content : nil
  }
}
