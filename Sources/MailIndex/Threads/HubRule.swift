/// Whether an id joins nothing because only junk shares it: mails of many topics from many senders
/// hold it or reply to it. Bulk mailers send constant references, scripts constant Message-IDs, and
/// whoever answers a digest names the digest.
///
/// Fed with the evidence for one key in the order of message numbers, so that the verdict is a
/// function of the messages that are there. A living conversation keeps its subject, or its sender
/// (a series of patches, a ticket system), or both.
struct HubRule {
  static let many = 10
  /// Evidence beyond this is not looked at.
  static let enough = 1000

  private var topics: [UInt32] = []
  private var senders: [UInt32] = []

  private(set) var isHub = false

  mutating func see(topic: UInt32, sender: UInt32) {
    Self.note(topic, in: &topics)
    Self.note(sender, in: &senders)
    isHub = topics.count >= Self.many && senders.count >= Self.many
  }

  private static func note(_ mark: UInt32, in marks: inout [UInt32]) {
    if mark != 0, marks.count < many, !marks.contains(mark) { marks.append(mark) }
  }
}
