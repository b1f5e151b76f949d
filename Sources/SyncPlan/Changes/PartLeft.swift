import Ledger
import MIME
import MailCore
import Maildir

/// A file that has, or may have, but a part of a message, and what it tells of that message.
package struct PartLeft: Hashable, Sendable {
  package var headerHash: HeaderHash
  /// Bytes of the whole message, as the server counts, by the line of a stub.
  package var size: UInt64?
  /// Bounds of that size, by what the texts in the parts' places tell.
  package var bounds: ClosedRange<Int64>
  /// Bounds of the size of a message that is no more than this file, whatever programs did to its header.
  package var ownBounds: ClosedRange<Int64>
  /// A program put its line there on this side. Else a sender may have, and the message be whole.
  package var isCertain: Bool
  /// A text in it is as this program writes it in the place of a part, and names the file's own message.
  package var isAnnounced = false
  /// A message on record has its header: then it is, or is left of, no other that is as long.
  package var isOfKnownHeader = false
  /// The server has the whole message in another mailbox, and copies it by itself.
  package var isCopied = false
  /// Contents of whole messages that the file has, but for what programs did to its header: words of a stub may be a
  /// sender's.
  package private(set) var wholes: Set<ContentHash> = []
  /// Where it lies, for people.
  package var place = ""

  /// Programs that rewrite a header add or remove so much of it at most.
  private static let slack: Int64 = 4096

  /// Of a stub.
  ///
  /// - Parameter fileSize: its own bytes.
  package init(headerHash: HeaderHash, size: UInt64, fileSize: Int64 = 0) {
    self.headerHash = headerHash
    self.size = size
    bounds = Int64(clamping: size)...Int64(clamping: size)
    ownBounds = Self.bounds(ofFile: fileSize)
    isCertain = true
  }

  /// Of a file's bytes; nil where nothing is missing.
  ///
  /// - Parameter fileSize: where these are the first bytes only.
  package init?(_ bytes: [UInt8], fileSize: Int64? = nil, policy: MaildirPolicy) {
    guard let lacking = bytes.withUnsafeBytes({ LackingParts.find(in: $0) }) else { return nil }
    headerHash = lacking.header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: policy.keywords.line?.name).headerHash
    }
    size = lacking.size
    isCertain = lacking.size != nil && lacking.isOurs
    isAnnounced = lacking.isAnnounced
    let fileSize = fileSize ?? Int64(bytes.count)
    if let octets = lacking.octets {
      bounds =
        octets.lowerBound...(octets.upperBound + Self.bounds(ofFile: fileSize).upperBound)
    } else {
      let size = Int64(clamping: lacking.size ?? 0)
      bounds = size...size
    }
    ownBounds = Self.bounds(ofFile: fileSize)
  }

  /// With CRLF no line grows to more than twice its length.
  private static func bounds(ofFile size: Int64) -> ClosedRange<Int64> {
    let size = min(max(0, size), Int64.max / 8)
    return max(0, size - slack)...(size * 2 + slack)
  }

  // MARK: Messages

  /// Whether only its content tells if it is this message.
  package func mayBeWhole(_ record: MessageRecord) -> Bool {
    !record.isStub && record.contentHash != .unknown
      && (record.serverSize == 0 || ownBounds.contains(record.serverSize))
  }

  /// Finds out which of these messages the file has whole.
  ///
  /// - Parameter bytes: all of the file.
  package mutating func compare(_ bytes: [UInt8], with messages: [MessageRecord]) {
    let messages = messages.filter(mayBeWhole)
    guard !messages.isEmpty else { return }
    let text = RewrittenHeader(bytes)
    for message in messages
    where text.contentHash(below: message.headerHash) == message.contentHash {
      wholes.insert(message.contentHash)
    }
  }

  /// It is this message, whatever became of its header.
  package func isWhole(_ record: MessageRecord) -> Bool {
    !record.isStub && wholes.contains(record.contentHash)
  }

  /// Whether it may be what is left of this message: by its header, else by the size that it tells. Of what a ledger does
  /// not know to have been a stub only the exact one counts, since messages of about its size are many; but for a file that
  /// only this program can have made of some message.
  package func mayBeLeft(of record: MessageRecord) -> Bool {
    if isWhole(record) { return false }
    if headerHash != .unknown, record.headerHash == headerHash { return true }
    guard !isOfKnownHeader, record.serverSize > 0 else { return false }
    return size != nil || isAnnounced || record.hasBeenStub ? isOfSize(record) : false
  }

  /// Whether ledgers and file agree that it is left of this message.
  package func isLeft(of record: MessageRecord) -> Bool {
    guard mayBeLeft(of: record) else { return false }
    return record.hasBeenStub
      || (size != nil || isAnnounced || record.headerHash == headerHash) && isOfSize(record)
  }

  private func isOfSize(_ record: MessageRecord) -> Bool {
    size.map { $0 == UInt64(max(0, record.serverSize)) } ?? bounds.contains(record.serverSize)
  }

  /// Whether the message has to stay on its server while the file waits.
  package func concerns(_ record: MessageRecord) -> Bool {
    isWhole(record) || mayBeLeft(of: record)
  }
}
