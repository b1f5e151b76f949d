import MIME
import Queue

/// What a message that was sent says about others: which one it answers or passes on.
package struct SentMessage: Sendable, Equatable {
  /// Without angle brackets, as all of them here.
  package var messageID: String?
  /// Messages that this one answers.
  package var answers: [String] = []
  /// Messages that this one passes on.
  package var forwards: [String] = []

  init(_ entry: QueueEntry, _ header: RawHeader?) {
    messageID = entry.envelope?.messageID
    guard let header else { return }
    // A bounce of somebody's answer answers nothing of ours.
    guard !header.fields.contains(where: { $0.name.lowercased().hasPrefix("resent-") }) else {
      return
    }
    if let field = header.first("X-Forwarded-Message-Id") {
      forwards = Array(field.value).withUnsafeBytes { MessageIDs.references($0) }
    }
    let answered = header.first("In-Reply-To").map { field in
      Array(field.value).withUnsafeBytes { MessageIDs.inReplyTo($0).ids }
    }
    if Self.isForward(header) {
      if forwards.isEmpty {
        forwards = answered ?? []
        if forwards.isEmpty, let field = header.first("References") {
          let references = Array(field.value).withUnsafeBytes { MessageIDs.references($0) }
          forwards = Array(references.suffix(1))
        }
      }
    } else if forwards.isEmpty {
      answers = answered ?? []
    }
  }

  /// By what mail programs write at the start of the subject.
  private static func isForward(_ header: RawHeader) -> Bool {
    let type = header.first("Content-Type").map { String(decoding: $0.value, as: UTF8.self) }
    if type?.lowercased().hasPrefix("message/rfc822") == true { return true }
    guard let field = header.first("Subject") else { return false }
    let subject = Array(field.value).withUnsafeBytes { HeaderText.decode($0) }.lowercased()
    return ["fwd:", "fw:", "[fwd:", "wg:", "tr:", "rv:", "enc:", "vs:", "转发:", "転送:"]
      .contains { subject.hasPrefix($0) }
  }
}
