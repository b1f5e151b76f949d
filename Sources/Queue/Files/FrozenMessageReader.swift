import Maildir

/// The bytes of a queued message, streamed, and proven to be those that were accepted.
package final class FrozenMessageReader {
  private let file: Descriptor
  private let path: String
  private let frozen: FrozenMessage
  private let hash = XXH3.Stream()
  private var position: UInt64 = 0

  init(file: consuming Descriptor, path: String, frozen: FrozenMessage) {
    self.file = file
    self.path = path
    self.frozen = frozen
  }

  /// Fills the buffer; returns how many bytes, 0 at the end.
  package func read(into buffer: inout [UInt8]) throws(MaildirError) -> Int {
    let count = try file.read(into: &buffer, path: path)
    buffer.withUnsafeBytes { hash.feed(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    position += UInt64(count)
    return count
  }

  /// To be asked at the end and before the final dot: false where the file was changed since it was
  /// accepted. Then drop the connection; nothing has been sent.
  package var isIntact: Bool { position == frozen.size && hash.value == frozen.hash }
}
