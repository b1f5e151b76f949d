import Ledger
import MIME
import MailCore
import Maildir

/// A file that has, or may have, but a part of a message, and what it tells of that message.
package struct PartLeft: Hashable, Sendable {
  package var headerHash: UInt64
  /// Bytes of the whole message, as the server counts, by the line of a stub.
  package var size: UInt64?
  /// Bounds of that size, by what the texts in the parts' places tell.
  package var bounds: ClosedRange<Int64>
  /// A program put its line there on this side. Else a sender may have, and the message be whole.
  package var isCertain: Bool
  /// A message on record has its header: then it is left of no other that is as long.
  package var isOfKnownHeader = false
  /// Where it lies, for people.
  package var place = ""

  /// Programs that rewrite a header add or remove so much of it at most.
  private static let slack: Int64 = 4096

  package init(headerHash: UInt64, size: UInt64, isCertain: Bool = true) {
    self.headerHash = headerHash
    self.size = size
    bounds = Int64(clamping: size)...Int64(clamping: size)
    self.isCertain = isCertain
  }

  /// Of a file's bytes; nil where nothing is missing.
  package init?(_ bytes: [UInt8], policy: MaildirPolicy) {
    guard let lacking = bytes.withUnsafeBytes({ LackingParts.find(in: $0) }) else { return nil }
    headerHash = lacking.header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: policy.keywords.line?.name).headerHash
    }
    size = lacking.size
    isCertain = lacking.size != nil && lacking.isOurs
    let octets = min(max(0, lacking.octets), Int64.max / 2)
    // With CRLF no line grows by more than a half.
    bounds = octets...(octets + Int64(bytes.count) * 2 + Self.slack)
  }

  /// Whether it may be what is left of this message.
  package func stands(for record: MessageRecord) -> Bool {
    if headerHash != 0, record.headerHash == headerHash { return true }
    guard !isOfKnownHeader, record.hasBeenStub, record.serverSize > 0 else { return false }
    return size.map { $0 == UInt64(record.serverSize) } ?? bounds.contains(record.serverSize)
  }
}
