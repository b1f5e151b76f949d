import Ledger
import MailCore
import Maildir

extension MessageRecord {
  package var digest: MessageDigest {
    MessageDigest(
      serverSize: UInt64(max(0, serverSize)), headerHash: headerHash, contentHash: contentHash,
      asCame: traits.contains(.keptAsItCame), nativeLabels: nativeLabels)
  }

  /// Whether the header is known as the server has it: the file was pulled, or found by its header. What a push sent, a
  /// server may have rewritten.
  package var hasServersHeader: Bool {
    headerHash != 0
      && (traits.contains(.adopted) || BirthName(base: RewrittenName.original(of: name)) != nil)
  }

  /// Whether the size, too, is known as the server sent it.
  package var isAsServerSent: Bool { hasServersHeader && !traits.contains(.adopted) }

  /// No header tells that it is another message.
  package func mayBe(_ other: MessageRecord) -> Bool {
    headerHash == other.headerHash || headerHash == 0 || other.headerHash == 0
  }

  /// What is known of the file once it is delivered.
  package mutating func complete(with message: DeliveredMessage) {
    name = message.file.base
    headerHash = message.digest.headerHash
    contentHash = message.digest.contentHash
    nativeLabels = message.digest.nativeLabels
    size = Int64(message.facts.size)
    serverSize = Int64(clamping: message.digest.serverSize)
    if message.digest.asCame { traits.insert(.keptAsItCame) }
    if !agreed.keywords.isEmpty { traits.insert(.hasKeywordsLine) }
  }
}
