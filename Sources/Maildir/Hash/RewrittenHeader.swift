import MailCore

/// A message's content below other headers than its own: programs rewrite headers, and leave the text.
package struct RewrittenHeader {
  /// With LF line ends; empty where the file is all header.
  private let body: [UInt8]

  /// - Parameter bytes: the file's.
  package init(_ bytes: [UInt8]) {
    let lines = bytes.withUnsafeBytes { bytes in
      [UInt8](unsafeUninitializedCapacity: max(1, bytes.count)) { room, count in
        let room = UnsafeMutableRawBufferPointer(room)
        guard let start = room.baseAddress else { return }
        count = LineConverter.toLF(bytes, into: start, isLast: true).written
      }
    }
    body = lines.behindHeader
  }

  /// What identifies the content if its header is the one with this hash; nil without a text, which many messages lack.
  package func contentHash(below headerHash: HeaderHash) -> ContentHash? {
    if body.isEmpty { return nil }
    let stream = XXH3.Stream()
    stream.reset(seed: headerHash.rawValue)
    body.withUnsafeBytes { stream.feed($0) }
    return ContentHash(stream.value)
  }
}

extension [UInt8] {
  /// As ``MessageHasher`` has it: the header ends at the first empty line.
  fileprivate var behindHeader: [UInt8] {
    var start = 0
    while start < count {
      if self[start] == ASCII.lf { return Array(self[(start + 1)...]) }
      guard let end = self[start...].firstIndex(of: ASCII.lf) else { return [] }
      start = end + 1
    }
    return []
  }
}
