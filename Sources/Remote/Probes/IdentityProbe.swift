import MailCore
import SyncPlan

/// Keeps flags and keywords.
final class IdentityProbe: FetchSink {
  private(set) var marks: [UID: MessageMarks] = [:]

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    marks[message.uid] = message.marks
  }
}

/// Keeps dates and sizes.
final class SizeProbe: FetchSink {
  private(set) var measures: [MeasuredMessages.Measure] = []
  private let unknownDate: Int64

  init(unknownDate: Int64) { self.unknownDate = unknownDate }

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    measures.append(
      .init(
        uid: message.uid.rawValue, date: message.internalDate ?? unknownDate,
        size: message.size ?? 0))
  }
}
