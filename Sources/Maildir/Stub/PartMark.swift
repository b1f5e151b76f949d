#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension MaildirFolder {
  /// The field of a text that stands in the place of a part; what `MIME` knows of absent parts has it, too.
  private static let partMark = Array("X-Mirror-Part: size=".utf8)
  /// No stub is longer: what remains of a message is put together in memory.
  private static let longestStub = 16 << 20

  /// Whether a text of ours stands in the place of a part somewhere in a file, whatever became of the stub's first line.
  package func lacksParts(_ file: MessageFile) throws(MaildirError) -> Bool {
    guard try facts(file).size <= UInt64(Self.longestStub) else { return false }
    let content = try MessageSource.open(file, in: self).head(Self.longestStub)
    return content.withUnsafeBytes { bytes in
      guard var place = bytes.baseAddress else { return false }
      let end = place + bytes.count
      while let lineEnd = memchr(place, 10, end - place) {
        place = UnsafeRawPointer(lineEnd) + 1
        let isMark = Self.partMark.withUnsafeBytes { mark in
          end - place >= mark.count
            && mark.baseAddress.map { memcmp(place, $0, mark.count) == 0 } ?? false
        }
        if isMark { return true }
      }
      return false
    }
  }
}
