import IMAPClient
import IMAPWire
import MailCore
import Maildir

/// The server's side of a push: one connection, at most one mailbox open for changes. Confined to its thread.
final class PushRemote {
  let session: IMAPSession
  private let labels: LabelPolicy
  private(set) var selected: Int64?
  private(set) var facts = SelectedMailbox()

  init(session: IMAPSession, labels: LabelPolicy) {
    self.session = session
    self.labels = labels
  }

  /// UIDs are expunged one by one, or not at all: there is no box-wide EXPUNGE here (DESIGN promise 4).
  var canExpunge: Bool {
    session.capabilities.contains(.uidPlus) && !session.quirks.contains(.noUIDExpunge)
  }
  var canMove: Bool { session.capabilities.contains(.move) }
  var isGmail: Bool { session.quirks.contains(.gmail) }

  /// Opens a mailbox for changes.
  ///
  /// - Throws: the server's refusal.
  func select(_ mailbox: Int64, _ rawName: [UInt8]) throws -> SelectedMailbox {
    selected = nil
    let sync: SelectSync = session.capabilities.contains(.condstore) ? .condstore : .plain
    let answer = try run([.select(rawName, readOnly: false, sync: sync)])
    guard let result = answer.results[0] else { throw IMAPError.sessionOver }
    guard result.isOK else { throw IMAPError(refusing: "SELECT", result) }
    facts = answer.selected
    selected = mailbox
    return facts
  }

  /// Leaves a mailbox without CLOSE, which would expunge what others marked.
  func forgetSelection() { selected = nil }

  /// Sends all of them without waiting in between.
  func run(_ commands: [IMAPCommand]) throws -> ChangeAnswers {
    var handler = ChangeAnswers()
    try session.run(commands, handler: &handler)
    return handler
  }

  /// Of the open mailbox.
  func existing(_ uids: UIDSet) throws -> UIDSet {
    var found = UIDSet()
    for chunk in uids.chunks(textLength: session.maximumCommandLength) {
      found = found.union(try search(.uids(chunk)))
    }
    return found.intersection(uids)
  }

  /// UIDs of the open mailbox from `first` on.
  func uids(from first: UInt32) throws -> UIDSet {
    let wanted = UIDSet(max(1, first)...UInt32.max)
    return try search(.uids(wanted)).intersection(wanted)
  }

  private func search(_ criteria: SearchCriteria) throws -> UIDSet {
    let answer = try run([.uidSearch(criteria)])
    guard let result = answer.results[0] else { throw IMAPError.sessionOver }
    guard result.isOK else { throw IMAPError(refusing: "UID SEARCH", result) }
    return answer.found[0] ?? UIDSet()
  }

  /// Header hashes, or with `whole` the content hashes, of messages in the open mailbox.
  func hashes(of uids: UIDSet, whole: Bool, labelName: String?) throws -> [UID: UInt64] {
    guard !uids.isEmpty else { return [:] }
    let probe = DigestProbe(whole: whole, labelName: labelName)
    var requests = uids.chunks(textLength: session.maximumCommandLength)
      .map { FetchRequest(whole ? .bodies : .headers, $0) }
    try IMAPRemoteMailbox(session: session, labels: labels)
      .fetch(opening: nil, next: { requests.popLast() }, into: probe)
    return probe.hashes
  }
}

/// What came of a flight of commands that change things.
struct ChangeAnswers: ResponseHandler {
  private(set) var results: [Int: TaggedResult] = [:]
  /// Where copied and moved messages went, by command.
  private(set) var copied: [Int: [CopyUID]] = [:]
  private(set) var found: [Int: UIDSet] = [:]
  private(set) var selected = SelectedMailbox()

  mutating func received(_ response: UntaggedResponse, during command: Int) {
    selected.absorb(response)
    switch response {
    case .status(.ok, let text):
      // MOVE tells where before it is through (RFC 6851 §4.3).
      if case .copyUID(let copy) = text.code { copied[command, default: []].append(copy) }
    case .search(let result): found[command] = (found[command] ?? UIDSet()).union(result.uids)
    default: break
    }
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) {
    results[command] = result
    selected.absorb(result)
    if case .copyUID(let copy) = result.code { copied[command, default: []].append(copy) }
  }

  func isOK(_ command: Int) -> Bool { results[command]?.isOK == true }
}

/// Hashes the headers, or the whole messages, that it is sent.
final class DigestProbe: FetchSink {
  private(set) var hashes: [UID: UInt64] = [:]
  private var bytes: [UInt8] = []
  private let whole: Bool
  private let labelName: String?
  /// Longer ones are not recognised.
  private static let longest = 256 << 20

  init(whole: Bool, labelName: String?) {
    self.whole = whole
    self.labelName = labelName
  }

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {
    bytes.removeAll(keepingCapacity: true)
  }

  func bytes(_ piece: UnsafeRawBufferPointer) {
    if bytes.count + piece.count <= Self.longest { bytes.append(contentsOf: piece) }
  }

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    guard hasBytes else { return }
    let digest = bytes.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: labelName)
    }
    hashes[message.uid] = whole ? digest.contentHash : digest.headerHash
  }

  func spoilt(uid: UID?) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}
