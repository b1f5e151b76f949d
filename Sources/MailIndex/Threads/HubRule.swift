/// Whether an id joins nothing because only junk shares it: mails of many topics from many senders
/// hold it or reply to it. Bulk mailers send constant references, scripts constant Message-IDs, and
/// whoever answers a digest names the digest.
///
/// Fed with the evidence for one key in the order of message numbers, so that the verdict is a
/// function of the messages that are there. A living conversation keeps its subject, or its sender
/// (a series of patches, a ticket system), or both.
struct HubRule {
  static let many = 5
  /// Where a message has the id, and its answers are many: what answers it may change its subject.
  private static let manyAnswers = 10
  /// Evidence beyond this is not looked at.
  static let enough = 1000

  private var topics: [UInt32] = []
  private var senders: [UInt32] = []
  /// Of the messages whose id it is; two are enough to tell that it is no message's own.
  private var ownTopics: [UInt32] = []

  /// - Parameter isOwn: the message has the id, and does not only answer it.
  mutating func see(topic: UInt32, sender: UInt32, isOwn: Bool) {
    Self.note(topic, in: &topics, most: Self.manyAnswers)
    Self.note(sender, in: &senders, most: Self.manyAnswers)
    if isOwn { Self.note(topic, in: &ownTopics, most: 2) }
  }

  var isHub: Bool {
    let many = ownTopics.count == 1 ? Self.manyAnswers : Self.many
    return topics.count >= many && senders.count >= many
  }

  private static func note(_ mark: UInt32, in marks: inout [UInt32], most: Int) {
    if mark != 0, marks.count < most, !marks.contains(mark) { marks.append(mark) }
  }
}
