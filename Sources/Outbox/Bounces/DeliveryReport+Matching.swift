import Queue

extension DeliveryReport {
  /// The message that this is about: the one whose envelope it names, else of those with its Message-ID the one that
  /// went to a recipient it names.
  package func entry(among entries: [QueueEntry]) -> QueueEntry? {
    if let named = entries.first(where: names) { return named }
    guard let messageID else { return nil }
    let same = entries.filter { $0.envelope?.messageID == messageID }
    return same.first { $0.phase.bounces.contains(id) } ?? same.first { !failed(of: $0).isEmpty }
  }

  /// Who of its recipients did not get it, and the words, by place in the envelope. A server further on may name one by
  /// another address than ours: then it is told whom, if there is only one and the report can be about no other message.
  package func failed(of entry: QueueEntry) -> [Int: String] {
    guard let recipients = entry.envelope?.recipients.map({ $0.lowercased() }) else { return [:] }
    var failed: [Int: String] = [:]
    for failure in failures {
      if let index = recipients.firstIndex(where: failure.addresses.contains) {
        failed[index] = failure.words
      } else if recipients.count == 1, names(entry) {
        failed[0] = failure.words
      }
    }
    return failed
  }

  private func names(_ entry: QueueEntry) -> Bool { envelopeID == entry.id.text }
}
