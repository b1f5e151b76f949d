/// What the send queue tells a push about copies in Sent. A mail reader may have saved one of a message whose copy is
/// also filed by the queue, or by the provider: only one of them is to be there.
package struct SentCopyAdvice: Sendable {
  /// Where the copy of one message stands.
  package enum Stand: Sendable, Equatable {
    /// Nobody has filed one, and who files sees first what is here: a file in Sent is the copy.
    case free
    /// One may be there.
    case mayBeThere
    /// One may be on its way: a file here waits.
    case isComing
  }

  /// Of every message that the queue knows, by Message-ID; read anew with each call.
  package var stands: @Sendable () throws -> [String: Stand]
  /// The Message-ID of a header, as `stands` has it.
  package var messageID: @Sendable (_ header: [UInt8]) -> String?

  package init(
    stands: @escaping @Sendable () throws -> [String: Stand],
    messageID: @escaping @Sendable (_ header: [UInt8]) -> String?
  ) {
    self.stands = stands
    self.messageID = messageID
  }

  /// For who sends nothing.
  package static let none = SentCopyAdvice(stands: { [:] }, messageID: { _ in nil })
}
