import MailCore

/// Collects flags and keywords.
final class MarkProbe: FetchSink {
  private(set) var marks: [UID: MessageMarks] = [:]

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {}
  func bytes(_ piece: UnsafeRawBufferPointer) {}
  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    marks[message.uid] = message.marks
  }
  func spoilt(uid: UID?, because reason: String) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}
