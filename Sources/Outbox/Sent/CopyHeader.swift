/// A copy's fields that tell which message it is, and whether a server took it in.
package struct CopyHeader {
  private let header: RawHeader

  /// - Parameter bytes: with either kind of line ends; what stands behind the header is passed over.
  package init(_ bytes: [UInt8]) {
    header = bytes.filter { $0 != 0x0D }.withUnsafeBytes { RawHeader.parse($0).0 }
  }

  /// Without angle brackets.
  package var messageID: String? { header.messageID }

  var wasReceived: Bool { header.has("Received") }

  func matches(_ sought: SoughtMessage) -> Bool {
    guard let id = messageID else { return false }
    if id == sought.messageID { return true }
    guard let date = sought.date, let subject = sought.subject else { return false }
    return isRenamed(
      id, from: sought.messageID, date: date, subject: subject, others: sought.otherIDs)
  }

  /// Whether this is a copy of the message with `original`'s header to which a provider gave another Message-ID.
  ///
  /// - Parameter others: Message-IDs of other messages that were sent.
  package func isRenamed(_ original: CopyHeader, others: Set<String>) -> Bool {
    guard let id = messageID, let date = original.header.first("Date")?.value,
      let subject = original.header.first("Subject")?.value
    else { return false }
    return isRenamed(
      id, from: original.messageID, date: String(decoding: date, as: UTF8.self),
      subject: String(decoding: subject, as: UTF8.self), others: others)
  }

  /// The second key is for providers that put an id of their own in place of ours. One of our own making, or of
  /// another message that we sent, is another message.
  private func isRenamed(
    _ id: String, from original: String?, date: String, subject: String, others: Set<String>
  ) -> Bool {
    guard !others.contains(id), original.map({ Self.domain($0) != Self.domain(id) }) ?? true else {
      return false
    }
    return (header.unfolded("Date") ?? "") == RawHeader.unfolded(date)
      && (header.unfolded("Subject") ?? "") == RawHeader.unfolded(subject)
  }

  private static func domain(_ id: String) -> String {
    id.lastIndex(of: "@").map { id[$0...].lowercased() } ?? ""
  }
}
