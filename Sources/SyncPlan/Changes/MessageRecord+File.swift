import Ledger
import MailCore
import Maildir

extension MessageRecord {
  /// By what its file is known, whoever renamed it.
  package var stem: MessageStem { MessageStem(of: name) }

  package var digest: MessageDigest {
    MessageDigest(
      serverSize: UInt64(max(0, serverSize)), headerHash: headerHash, contentHash: contentHash,
      asCame: traits.contains(.keptAsItCame), nativeLabels: nativeLabels, isStub: isStub)
  }

  /// Whether a file holds this message: as it was left, or filled or made a stub by a run that was cut off before the
  /// ledger knew, by another machine, or before the ledger of an earlier day was put back.
  package func isHeld(by digest: MessageDigest) -> Bool {
    digest.contentHash == contentHash || isOtherForm(digest)
  }

  /// The file has the message in the form in which the ledger has it not: from now on it has it so.
  package mutating func follow(_ digest: MessageDigest) {
    guard isOtherForm(digest) else { return }
    contentHash = digest.contentHash
    traits.subtract([.stub, .filled, .leavingParts, .keptAsItCame])
    traits.insert(digest.isStub ? .stub : .filled)
    // A person may have written into it since.
    if digest.isStub { traits.formUnion([.adopted, .differs]) }
    if digest.asCame { traits.insert(.keptAsItCame) }
  }

  /// Whether a file is the message in the form in which it is not here: all of a stub's, or a stub of one that is whole.
  package func isOtherForm(_ digest: MessageDigest) -> Bool {
    isStub != digest.isStub && headerHash != .unknown && digest.headerHash == headerHash
      && serverSize != 0 && digest.serverSize == UInt64(serverSize)
  }

  /// Whether the header is known as the server has it: the file was pulled, or found by its header. What a push sent, a
  /// server may have rewritten.
  package var hasServersHeader: Bool {
    headerHash != .unknown && (traits.contains(.adopted) || BirthName(base: name) != nil)
  }

  /// Whether the size, too, is known as the server sent it.
  package var isAsServerSent: Bool { hasServersHeader && !traits.contains(.adopted) }

  /// No header tells that it is another message.
  package func mayBe(_ other: MessageRecord) -> Bool {
    headerHash == other.headerHash || headerHash == .unknown || other.headerHash == .unknown
  }

  /// What is known of the file once it is delivered.
  package mutating func complete(with message: DeliveredMessage) {
    name = message.file.base
    headerHash = message.digest.headerHash
    contentHash = message.digest.contentHash
    nativeLabels = message.digest.nativeLabels
    size = Int64(message.facts.size)
    serverSize = Int64(clamping: message.digest.serverSize)
    traits.formUnion(message.digest.traits)
    if !agreed.keywords.isEmpty { traits.insert(.hasKeywordsLine) }
  }
}

extension UndecidedFile {
  /// The file of a message that the server has no longer where the record says; nil where it had none.
  package init?(of record: MessageRecord) {
    guard !record.name.isEmpty, record.contentHash != .unknown else { return nil }
    self.init(
      SurplusFile(nameHash: NameHash(of: record.name), contentHash: record.contentHash), .here)
  }
}

extension MessageDigest {
  /// What a record says of a message with this content.
  package var traits: MessageRecord.Traits {
    var traits: MessageRecord.Traits = []
    if asCame { traits.insert(.keptAsItCame) }
    if isStub { traits.insert(.stub) }
    return traits
  }
}
