import IMAPClient
import IMAPWire
import MailCore
import SyncPlan

/// Turns FETCH responses into a sink's parts; lets through none that was not asked for.
struct SectionHandler<Sink: SectionSink>: ResponseHandler {
  let sink: Sink
  let labels: LabelPolicy
  let requests: SectionLog
  private var hasBytes = false

  init(sink: Sink, labels: LabelPolicy, requests: SectionLog) {
    self.sink = sink
    self.labels = labels
    self.requests = requests
  }

  mutating func bodyBegins(_ soFar: FetchData, section: BodySection, size: Int) throws {
    hasBytes = true
    try sink.begins(section, size: size)
  }

  mutating func bodyBytes(_ bytes: UnsafeRawBufferPointer) throws { try sink.bytes(bytes) }

  mutating func fetched(_ data: FetchData, during command: Int) throws {
    let hadBytes = hasBytes
    hasBytes = false
    guard let uid = data.uid, !data.isDamaged, let marks = labels.marks(of: data),
      requests.admits(uid, during: command)
    else {
      if hadBytes { try sink.spoilt() }
      return
    }
    try sink.finished(
      FetchedMessage(
        uid: uid, marks: marks, internalDate: data.internalDate, size: data.size,
        identity: data.identity), structure: data.structure)
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) throws {
    guard let request = requests[command] else { return }
    if let throttle = result.throttle {
      throw IMAPError.throttled(seconds: throttle.seconds, result.text.visible)
    }
    try sink.answered(request, refusal: result.isOK ? nil : result)
  }
}

/// The requests of one pipeline in order. Shared by the side that sends and the side that reads, both on one thread.
final class SectionLog {
  private var requests: [SectionRequest] = []

  func append(_ request: SectionRequest) { requests.append(request) }
  subscript(command: Int) -> SectionRequest? {
    requests.indices.contains(command) ? requests[command] : nil
  }

  /// Some servers complete a command before they have sent all of its data.
  func admits(_ uid: UID, during command: Int) -> Bool {
    requests[max(0, min(command, requests.count) - 8)...].contains { $0.uids.contains(uid) }
  }
}

extension OpenMailbox {
  /// Fetches parts of messages, with several requests in flight. `next` is asked whenever there is room; nil means
  /// nothing just now, and with nothing in flight it means done.
  package func fetch(sections next: () throws -> SectionRequest?, into sink: some SectionSink)
    throws
  {
    checkIsOpen()
    try openIfNeeded()
    let requests = SectionLog()
    var handler = SectionHandler(sink: sink, labels: labels, requests: requests)
    var pieces: [SectionRequest] = []  // of one request, where its UIDs do not fit one command line
    try session.pipeline(
      depth: Self.depth,
      next: {
        if pieces.isEmpty, let request = try next() {
          let names = 40 * request.sections.count
          pieces = chunks(request.uids, besides: 300 + names).map {
            SectionRequest(request.sections, of: $0)
          }
        }
        guard let request = pieces.popLast() else { return nil }
        requests.append(request)
        let items = request.sections.isEmpty ? identityItems.union(.structure) : identityItems
        return .uidFetch(request.uids, items, sections: request.sections)
      }, handler: &handler)
  }

  /// What the parts of these messages are. Of some the server may tell nothing, or nothing that can be read.
  package func structures(of uids: UIDSet) throws -> [UID: BodyStructure] {
    guard !uids.isEmpty else { return [:] }
    let probe = StructureProbe()
    var left: [SectionRequest] = [SectionRequest([], of: uids)]
    try fetch(sections: { left.popLast() }, into: probe)
    return probe.found
  }
}

private final class StructureProbe: SectionSink {
  var found: [UID: BodyStructure] = [:]

  func finished(_ message: FetchedMessage, structure: BodyStructure?) {
    if let structure { found[message.uid] = structure }
  }
}
