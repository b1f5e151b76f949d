import MailCore
import SyncPlan

/// What messages are, and what they hold, asked of a bounded number of them.
extension OpenMailbox {
  private func fetch<Sink: FetchSink>(
    _ wanted: FetchRequest.Wanted, _ uids: UIDSet, into sink: Sink
  ) throws -> Sink {
    guard !uids.isEmpty else { return sink }
    var left = [FetchRequest(wanted, uids)]
    try fetch(next: { left.popLast() }, into: sink)
    return sink
  }

  /// Flags and keywords as the server has them now; of those that are gone, nothing.
  package func marks(of uids: UIDSet) throws -> [UID: MessageMarks] {
    var marks: [UID: MessageMarks] = [:]
    _ = try fetch(.identities, uids, into: IdentityProbe { marks[$0.uid] = $0.marks })
    return marks
  }

  /// - Parameter unknownDate: for messages whose date the server does not tell.
  package func measures(of uids: UIDSet, unknownDate: Int64) throws -> [MeasuredMessages.Measure] {
    var measures: [MeasuredMessages.Measure] = []
    let probe = IdentityProbe { message in
      measures.append(
        .init(
          uid: message.uid.rawValue, date: message.internalDate ?? unknownDate,
          size: message.size ?? 0))
    }
    var rest = uids
    try fetch(
      next: {
        guard !rest.isEmpty else { return nil }
        let (newest, older) = rest.splitNewest(1000)
        rest = older
        return FetchRequest(.identities, newest)
      }, into: probe)
    return measures
  }

  /// Header hashes and Message-IDs.
  package func headers(of uids: UIDSet) throws -> [UID: DigestProbe.Found] {
    try digests(of: uids, whole: false).found
  }

  /// Content hashes, and those without the final line end that the server may have from us
  /// (``Quirk/finalLineEnd``).
  package func contents(of uids: UIDSet) throws -> [UID: DigestProbe.Found] {
    try digests(of: uids, whole: true).found
  }

  package func digests(of uids: UIDSet, whole: Bool) throws -> DigestProbe {
    try fetch(
      whole ? .bodies : .headers, uids,
      into: DigestProbe(
        whole: whole, labelName: labelName,
        withoutFinalLineEnd: whole && addsLineEnd))
  }

  /// Headers as they are, for a person who looks at what is not here.
  package func wholeHeaders(of uids: UIDSet) throws -> [HeaderProbe.Found] {
    try fetch(.headers, uids, into: HeaderProbe()).found
  }

  /// Of which messages these are copies, by their headers.
  ///
  /// - Parameter original: the Message-ID of the message of which a header is a copy's.
  package func originals(of uids: UIDSet, _ original: @escaping ([UInt8]) -> String?) throws
    -> [UID: String]
  {
    try fetch(.headers, uids, into: SentProbe(labelName: labelName, original: original))
      .found.compactMapValues(\.original)
  }

  /// Copies of what was sent, with the hashes of all and of the body.
  package func sentCopies(_ uids: UIDSet) throws -> [SentProbe.Found] {
    let probe = SentProbe(labelName: labelName) { _ in nil }
    return Array(try fetch(.bodies, uids, into: probe).found.values)
  }
}
