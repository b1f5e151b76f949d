/// What the send queue tells a push about copies in Sent. A mail reader may have saved one of a message whose copy is
/// also filed by the queue, or by the provider: only one of them is to be there.
package struct SentCopyAdvice: Sendable {
  /// Where the copy of one message stands.
  package enum Stand: Sendable, Equatable {
    /// Nobody has filed one, and who files sees first what is here: a file in Sent is the copy.
    case free
    /// One may be there.
    case mayBeThere
    /// The provider may have filed one, perhaps under a Message-ID of its own.
    case mayBeRenamed
    /// One may be on its way: a file here waits.
    case isComing
  }

  /// Of every message that the queue knows, by Message-ID; read anew with each call.
  package var stands: @Sendable () throws -> [String: Stand]
  /// The Message-ID of a header, as `stands` has it.
  package var messageID: @Sendable (_ header: [UInt8]) -> String?
  /// Whether a header is that of a message with another header to which the provider gave a Message-ID of its own;
  /// `others` are the Message-IDs of all that was sent.
  package var isRenamed:
    @Sendable (_ header: [UInt8], _ original: [UInt8], _ others: Set<String>) -> Bool

  package init(
    stands: @escaping @Sendable () throws -> [String: Stand],
    messageID: @escaping @Sendable (_ header: [UInt8]) -> String?,
    isRenamed:
      @escaping @Sendable (_ header: [UInt8], _ original: [UInt8], _ others: Set<String>) -> Bool
  ) {
    self.stands = stands
    self.messageID = messageID
    self.isRenamed = isRenamed
  }

  /// For who sends nothing.
  package static let none = SentCopyAdvice(
    stands: { [:] }, messageID: { _ in nil }, isRenamed: { _, _, _ in false })
}
