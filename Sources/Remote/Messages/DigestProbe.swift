import IMAPWire
import Ledger
import MailCore
import Maildir

/// Hashes the headers, or the whole messages, that it is sent, as they come.
package final class DigestProbe: FetchSink {
  package struct Found {
    package var headerHash: HeaderHash
    /// Nil where only the header was asked for.
    package var contentHash: ContentHash?
    /// Of the content without its final line end, where that was asked for.
    package var hashWithoutFinalLineEnd: ContentHash?
    /// Without angle brackets; nil where the header has none, or was not all that was asked for.
    package var messageID: String?
    /// INTERNALDATE, Unix seconds; nil where the server gave none.
    package var date: Int64?
    /// Of what was sent.
    package var size: UInt64
    /// RFC822.SIZE, where the server reported it.
    package var announcedSize: Int64?
    package var marks = MessageMarks()

    /// Whether it is what was sent, of which the record tells. Of a message of which only a part is here, the header
    /// and the size decide.
    package func holds(_ record: MessageRecord) -> Bool {
      guard record.isStub else { return holds(record.contentHash) }
      return headerHash == record.headerHash && Int64(size) == record.serverSize
    }

    package func holds(_ content: ContentHash) -> Bool {
      contentHash == content || hashWithoutFinalLineEnd == content
    }
  }
  /// Of each message that came whole.
  package private(set) var found: [UID: Found] = [:]
  /// The server's words, where it did not answer to the end.
  package private(set) var refusal: String?
  private var hasher: MessageHasher
  /// The same, without a final line end.
  private var slower: MessageHasher
  private var slowerHoldsLineFeed = false
  private let feedsSlower: Bool
  /// The last piece ended in CR: whether it begins a line end, the next one tells.
  private var holdsReturn = false
  private var size: UInt64 = 0
  private var header: [UInt8] = []
  private let whole: Bool
  private static let longestHeader = 256 << 10

  init(whole: Bool, labelName: String?, withoutFinalLineEnd: Bool = false) {
    self.whole = whole
    hasher = MessageHasher(labelName: labelName)
    slower = MessageHasher(labelName: labelName)
    feedsSlower = withoutFinalLineEnd
  }

  package func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {
    hasher.reset()
    slower.reset()
    slowerHoldsLineFeed = false
    holdsReturn = false
    self.size = 0
    header.removeAll(keepingCapacity: true)
  }

  package func bytes(_ piece: UnsafeRawBufferPointer) {
    guard !piece.isEmpty else { return }
    size += UInt64(piece.count)
    if !whole, header.count + piece.count <= Self.longestHeader { header += piece }
    if holdsReturn, piece[0] != 10 { feedReturn() }
    withUnsafeTemporaryAllocation(byteCount: piece.count, alignment: 16) { room in
      guard let start = room.baseAddress else { return }
      let step = LineConverter.toLF(piece, into: start, isLast: false)
      holdsReturn = step.read < piece.count
      feed(UnsafeRawBufferPointer(rebasing: room[..<step.written]))
    }
  }

  private func feedReturn() {
    withUnsafeBytes(of: UInt8(13)) { feed($0) }
  }

  /// With line ends as they are here.
  private func feed(_ piece: UnsafeRawBufferPointer) {
    hasher.feed(piece)
    guard feedsSlower, !piece.isEmpty else { return }
    if slowerHoldsLineFeed { withUnsafeBytes(of: UInt8(10)) { slower.feed($0) } }
    slowerHoldsLineFeed = piece.last == 10
    slower.feed(UnsafeRawBufferPointer(rebasing: piece.dropLast(slowerHoldsLineFeed ? 1 : 0)))
  }

  package func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    guard hasBytes else { return }
    if holdsReturn { feedReturn() }
    holdsReturn = false
    let digest = hasher.finish(serverSize: size, asCame: false)
    found[message.uid] = Found(
      headerHash: digest.headerHash, contentHash: whole ? digest.contentHash : nil,
      hashWithoutFinalLineEnd: feedsSlower
        ? slower.finish(serverSize: size, asCame: false).contentHash : nil,
      messageID: whole ? nil : MessageIDField.value(in: header), date: message.internalDate,
      size: size, announcedSize: message.size, marks: message.marks)
  }

  package func answered(_ request: FetchRequest, refusal: String?) {
    self.refusal = self.refusal ?? refusal
  }
}
