import MailCore

/// One line of the panel: `personal/INBOX   1200 of 20000   12 MB   3.4 MB/s   2 min 10 s left`.
package struct ProgressLine: Sendable, Equatable {
  package var subject: String
  package var messages: Int
  package var expected: Int
  package var bytes: Int64
  package var bytesPerSecond: Double?
  /// Since the mailbox began.
  package var seconds: Double

  package init(
    subject: String, messages: Int, expected: Int, bytes: Int64, bytesPerSecond: Double?,
    seconds: Double
  ) {
    self.subject = subject
    self.messages = messages
    self.expected = expected
    self.bytes = bytes
    self.bytesPerSecond = bytesPerSecond
    self.seconds = seconds
  }

  /// By messages: the servers' sizes are no promise. Nil until enough is done to tell.
  package var secondsLeft: Double? {
    guard messages > 0, expected > messages, seconds >= 1 else { return nil }
    return seconds / Double(messages) * Double(expected - messages)
  }

  /// At most `width` columns: the subject is shortened first, then the last figures fall away.
  package func text(width: Int) -> String {
    let figures = self.figures
    let subject = self.subject.visible
    for count in stride(from: figures.count, through: 1, by: -1) {
      let tail = figures[..<count].map { "  " + $0 }.joined()
      let room = width - TextWidth.columns(of: tail)
      if room >= min(count > 1 ? 20 : 8, TextWidth.columns(of: subject)) {
        return TextWidth.fitted(subject, to: room) + tail
      }
    }
    return TextWidth.fitted(subject, to: width)
  }

  private var figures: [String] {
    let count = expected > 0 ? "\(messages) of \(expected)" : Quantities.count(messages, "message")
    var figures = [count, Quantities.bytes(bytes)]
    if let rate = bytesPerSecond { figures.append(Quantities.bytes(Int64(rate)) + "/s") }
    if let left = secondsLeft { figures.append(Quantities.seconds(left) + " left") }
    return figures
  }
}
