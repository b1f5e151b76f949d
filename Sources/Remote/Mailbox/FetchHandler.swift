import IMAPClient
import IMAPWire
import MailCore
import SyncPlan

/// The requests of one pipeline in order; nil stands for the command that opens the mailbox.
/// Shared by the side that sends commands and the side that reads responses, both on one thread.
final class RequestLog {
  private var requests: [FetchRequest?] = []
  /// The command that was answered last, and how many messages' data came meanwhile.
  private var current = 0
  private var answers = 0
  /// Messages whose bodies are under way, and requests for anything else.
  private var bodies = 0
  private var questions = 0

  func append(_ request: FetchRequest?) {
    requests.append(request)
    count(request, 1)
  }

  func completed(_ command: Int) { count(self[command], -1) }

  private func count(_ request: FetchRequest?, _ sign: Int) {
    guard let request else { return }
    if case .bodies = request.wanted {
      bodies += sign * request.uids.count
    } else {
      questions += sign
    }
  }

  /// Nothing is under way that more requests may follow from, and no more than another mailbox may wait for.
  var awaitsOnlyFewBodies: Bool { questions == 0 && bodies <= 200 }

  subscript(command: Int) -> FetchRequest? {
    requests.indices.contains(command) ? requests[command] : nil
  }

  /// Whether a message's data was asked for by what is under way, and did not come over and over. What keeps answers
  /// then keeps no more than it asked for, whatever the server sends.
  func admits(_ uid: UID, during command: Int) -> Bool {
    if command != current { (current, answers) = (command, 0) }
    // Some servers complete a command before they have sent all of its data.
    let underWay = requests[max(0, min(command, requests.count) - 8)...]
    guard underWay.contains(where: { $0?.uids.contains(uid) == true }) else { return false }
    answers += 1
    // Flags that change meanwhile are reported once more.
    guard answers > Self.surplus else { return true }
    return answers <= Self.surplus + 2 * underWay.reduce(0) { $0 + ($1?.uids.count ?? 0) }
  }

  private static let surplus = 1000
}

/// Turns FETCH responses into a sink's messages; refuses any from a mailbox that is not the one meant.
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
    if let uid = data.uid, !requests.admits(uid, during: command) {
      if hadBytes { try sink.spoilt(uid: nil, because: "nobody asked for it") }
      return
    }
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
        identity: data.identity), hasBytes: hadBytes, wanted: wanted)
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
    requests.completed(command)
    guard let request = requests[command] else { return }
    if let throttle = result.throttle {
      throw IMAPError.throttled(seconds: throttle.seconds, result.text.visible)
    }
    try sink.answered(request, refusal: result.isOK ? nil : result.text.visible)
  }
}
