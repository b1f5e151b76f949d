import IMAPClient
import IMAPWire
import MailCore

/// The requests of one pipeline in order; nil stands for the command that opens the mailbox.
/// Shared by the side that asks and the side that hears, both on one thread.
final class RequestLog {
  private var requests: [FetchRequest?] = []
  func append(_ request: FetchRequest?) { requests.append(request) }
  subscript(command: Int) -> FetchRequest? {
    requests.indices.contains(command) ? requests[command] : nil
  }
}

/// Turns FETCH responses into a sink's messages; refuses to take any from a mailbox that is not the one meant.
struct FetchHandler<Sink: FetchSink>: ResponseHandler {
  let sink: Sink
  let labels: LabelPolicy
  let target: MailboxTarget?
  let requests: RequestLog
  private var selected = SelectedMailbox()
  private var hasBytes = false
  /// Looked for where the server sends such.
  var substitute: SubstituteText?

  init(sink: Sink, labels: LabelPolicy, target: MailboxTarget?, requests: RequestLog) {
    self.sink = sink
    self.labels = labels
    self.target = target
    self.requests = requests
  }

  mutating func received(_ response: UntaggedResponse, during command: Int) {
    if target != nil, command == 0 { selected.absorb(response) }
  }

  mutating func bodyBegins(_ soFar: FetchData, section: BodySection, size: Int) throws {
    guard section.kind == .whole || section.kind == .header else { return }
    hasBytes = true
    substitute?.begin()
    try sink.begins(
      uid: soFar.uid, keywords: labels.marks(of: soFar)?.keywords, size: size,
      isHeader: section.kind == .header)
  }

  mutating func bodyBytes(_ bytes: UnsafeRawBufferPointer) throws {
    guard hasBytes else { return }
    substitute?.feed(bytes)
    try sink.bytes(bytes)
  }

  mutating func fetched(_ data: FetchData, during command: Int) throws {
    let hadBytes = hasBytes
    hasBytes = false
    guard let uid = data.uid, let marks = labels.marks(of: data), !data.isDamaged else {
      if hadBytes {
        try sink.spoilt(uid: data.uid, because: "the server's answer could not be read")
      }
      return
    }
    if hadBytes, substitute?.isThere == true {
      return try sink.spoilt(uid: uid, because: SubstituteText.reason)
    }
    guard let wanted = requests[command]?.wanted else { return }
    try sink.finished(
      FetchedMessage(
        uid: uid, marks: marks, internalDate: data.internalDate, size: data.size,
        emailID: data.identity), hasBytes: hadBytes, wanted: wanted)
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) throws {
    if let target, command == 0 {
      selected.absorb(result)
      guard result.isOK else { throw IMAPError(refusing: "EXAMINE", result) }
      if let known = target.uidValidity, selected.uidValidity != known {
        throw SyncError.uidValidityChanged(target.name)
      }
      return
    }
    guard let request = requests[command] else { return }
    if let throttle = result.throttle {
      throw IMAPError.throttled(seconds: throttle.seconds, result.text.visible)
    }
    try sink.answered(request, refusal: result.isOK ? nil : result.text.visible)
  }
}
