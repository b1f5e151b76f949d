import IMAPClient
import IMAPWire
import MailCore
import SyncPlan

/// What messages are, and what they hold.
extension OpenMailbox {
  /// EMAILID or X-GM-MSGID identify messages across mailboxes.
  package var identifiesMessages: Bool {
    session.capabilities.contains(.objectID) || session.capabilities.contains(.gmail)
  }

  /// Where a message's last line does not end, it got a line end on its way here.
  package var addsLineEnd: Bool { session.quirks.contains(.finalLineEnd) }

  var markItems: FetchItems {
    session.capabilities.contains(.gmail) ? [.flags, .gmailLabels] : [.flags]
  }

  private var identityItems: FetchItems {
    var items: FetchItems = markItems.union([.internalDate, .size])
    if session.capabilities.contains(.gmail) {
      items.insert(.gmailIDs)
    } else if session.capabilities.contains(.objectID) {
      items.insert(.emailID)
    }
    return items
  }

  private func items(_ wanted: FetchRequest.Wanted) -> FetchItems {
    switch wanted {
    case .identities: identityItems
    case .headers: identityItems.union(.header)
    case .bodies: identityItems.union(.body)
    }
  }

  /// How many FETCHes are under way at once: enough to hide the latency of a slow line.
  private static var depth: Int { 4 }

  /// Runs requests with several in flight. `next` is asked whenever there is room; nil means nothing just now,
  /// and with nothing in flight it means done. A mailbox that is not selected yet is so in the same flight.
  ///
  /// - Throws: ``SyncError/uidValidityChanged(_:)`` when it is not the mailbox that was meant.
  package func fetch(next: () throws -> FetchRequest?, into sink: some FetchSink) throws {
    checkIsOpen()
    let requests = RequestLog()
    var opening = selection.isOpen ? nil : selection.target
    var handler = FetchHandler(sink: sink, labels: labels, target: opening, requests: requests)
    if session.quirks.contains(.missingBodies) { handler.substitute = SubstituteText() }
    var pieces: [FetchRequest] = []  // of one request, where its UIDs do not fit one command line
    try session.pipeline(
      depth: Self.depth,
      next: {
        if let target = opening {
          opening = nil
          requests.append(nil)
          return .select(target.rawName, readOnly: true, sync: .plain)
        }
        if pieces.isEmpty, let request = try next() {
          pieces = chunks(request.uids).map { FetchRequest(request.wanted, $0) }
        }
        guard let request = pieces.popLast() else { return nil }
        requests.append(request)
        return .uidFetch(request.uids, items(request.wanted))
      }, handler: &handler)
    selection.isOpen = true
  }

  private func fetch<Sink: FetchSink>(
    _ wanted: FetchRequest.Wanted, _ uids: UIDSet, into sink: Sink
  ) throws -> Sink {
    guard !uids.isEmpty else { return sink }
    var left: FetchRequest? = FetchRequest(wanted, uids)
    try fetch(
      next: {
        defer { left = nil }
        return left
      }, into: sink)
    return sink
  }

  // MARK: Probes

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
