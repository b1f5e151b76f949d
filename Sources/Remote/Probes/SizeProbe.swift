import MailCore
import SyncPlan

/// Keeps dates and sizes.
package final class SizeProbe: FetchSink {
  package private(set) var measures: [MeasuredMessages.Measure] = []
  private let unknownDate: Int64

  /// - Parameter unknownDate: for messages whose date the server does not tell.
  package init(unknownDate: Int64) { self.unknownDate = unknownDate }

  package func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {}
  package func bytes(_ bytes: UnsafeRawBufferPointer) {}
  package func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    measures.append(
      .init(
        uid: message.uid.rawValue, date: message.internalDate ?? unknownDate,
        size: message.size ?? 0))
  }
  package func spoilt(uid: UID?, because reason: String) {}
  package func answered(_ request: FetchRequest, refusal: String?) {}
}

extension RemoteMailbox {
  /// Asks for dates and sizes of messages of the open mailbox.
  package func measure(_ uids: UIDSet, into probe: SizeProbe) throws {
    var rest = uids
    try fetch(
      opening: nil,
      next: {
        guard !rest.isEmpty else { return nil }
        let (newest, older) = rest.splitNewest(1000)
        rest = older
        return FetchRequest(.identities, newest)
      }, into: probe)
  }
}
