import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import SyncPlan

/// The server's side of a push: one connection, at most one mailbox open for changes. Confined to its thread.
package final class PushRemote {
  package let session: IMAPSession
  private let labels: LabelPolicy
  /// The mailbox that is open, by its number in the ledger; nil for none.
  package private(set) var selected: Int64?
  package private(set) var facts = SelectedMailbox()

  package init(session: IMAPSession, labels: LabelPolicy) {
    self.session = session
    self.labels = labels
  }

  /// UIDs are expunged one by one, or not at all: there is no box-wide EXPUNGE here (DESIGN promise 4).
  package var canExpunge: Bool {
    session.capabilities.contains(.uidPlus)
      && session.quirks.isDisjoint(with: [.noUIDExpunge, .actsOnNextUID])
  }
  package var canMove: Bool { session.capabilities.contains(.move) }
  package var isGmail: Bool { session.quirks.contains(.gmail) }

  /// Opens a mailbox for changes, or only to look.
  ///
  /// - Throws: the server's refusal.
  package func select(_ mailbox: Int64, _ rawName: [UInt8], readOnly: Bool = false) throws
    -> SelectedMailbox
  {
    selected = nil
    let sync: SelectSync = session.capabilities.contains(.condstore) ? .condstore : .plain
    let answer = try run([.select(rawName, readOnly: readOnly, sync: sync)])
    guard let result = answer.results[0] else { throw IMAPError.sessionOver }
    guard result.isOK else { throw IMAPError(refusing: "SELECT", result) }
    facts = answer.selected
    selected = mailbox
    return facts
  }

  /// Leaves a mailbox without CLOSE, which would expunge what others marked.
  package func forgetSelection() { selected = nil }

  /// What this account may do in a mailbox (RFC 4314); nil where the server does not say.
  package func rights(in rawName: [UInt8]) throws -> MailboxRights? {
    guard session.capabilities.contains(.acl) else { return nil }
    return try run([.myRights(rawName)]).rights[0]
  }

  /// Whether a mailbox is another's, or shared (RFC 2342).
  package func isForeign(_ rawName: [UInt8]) -> Bool {
    guard let namespaces = session.namespaces else { return false }
    return (namespaces.otherUsers + namespaces.shared).contains {
      !$0.rawPrefix.isEmpty && rawName.starts(with: $0.rawPrefix)
    }
  }

  /// Sends all of them without waiting in between.
  package func run(_ commands: [IMAPCommand]) throws -> ChangeAnswers {
    var handler = ChangeAnswers()
    try session.run(commands, handler: &handler)
    return handler
  }

  /// Of the open mailbox.
  package func existing(_ uids: UIDSet) throws -> UIDSet {
    var found = UIDSet()
    for chunk in uids.chunks(textLength: session.maximumCommandLength - 200) {
      found = found.union(try search(.uids(chunk)))
    }
    return found.intersection(uids)
  }

  /// Those of `uids` that a command which changes messages may name. Where one for a missing UID would act on the next
  /// message, they are looked for just before; elsewhere missing ones are passed over by the server.
  package func nameable(_ uids: UIDSet) throws -> UIDSet {
    session.quirks.contains(.actsOnNextUID) ? try existing(uids) : uids
  }

  /// UIDs of the open mailbox from `first` on.
  package func uids(from first: UInt32) throws -> UIDSet {
    let wanted = UIDSet(max(1, first)...UInt32.max)
    return try search(.uids(wanted)).intersection(wanted)
  }

  /// Messages of the open mailbox that came on that day or later (Unix seconds).
  package func uids(since date: Int64) throws -> UIDSet { try search(.since(date)) }

  private func search(_ criteria: SearchCriteria) throws -> UIDSet { try search([criteria]) }

  /// What one of them finds, in one flight.
  private func search(_ criteria: [SearchCriteria]) throws -> UIDSet {
    let answers = try run(criteria.map { .uidSearch($0) })
    var found = UIDSet()
    for command in criteria.indices {
      guard let result = answers.results[command] else { throw IMAPError.sessionOver }
      guard result.isOK else { throw IMAPError(refusing: "UID SEARCH", result) }
      found = found.union(answers.found[command] ?? UIDSet())
    }
    return found
  }

  /// Header hashes, or with `whole` the content hashes, of messages in the open mailbox.
  package func hashes(of uids: UIDSet, whole: Bool, labelName: String?) throws -> [UID: UInt64] {
    try probe(uids, whole: whole, labelName: labelName).found.mapValues(\.hash)
  }

  /// Content hashes, and those without the final line end that the server may have from us
  /// (``Quirk/finalLineEnd``).
  package func contents(of uids: UIDSet, labelName: String?) throws -> [UID: DigestProbe.Found] {
    try probe(uids, whole: true, labelName: labelName).found
  }

  /// Header hashes and Message-IDs.
  package func headers(of uids: UIDSet, labelName: String?) throws -> [UID: DigestProbe.Found] {
    try probe(uids, whole: false, labelName: labelName).found
  }

  private func probe(_ uids: UIDSet, whole: Bool, labelName: String?) throws -> DigestProbe {
    try probe(
      uids, whole ? .bodies : .headers,
      into: DigestProbe(
        whole: whole, labelName: labelName,
        withoutFinalLineEnd: whole && session.quirks.contains(.finalLineEnd)))
  }

  /// Has the sink take messages of the open mailbox.
  package func probe<Sink: FetchSink>(
    _ uids: UIDSet, _ wanted: FetchRequest.Wanted, into sink: Sink
  ) throws
    -> Sink
  {
    guard !uids.isEmpty else { return sink }
    var requests = uids.chunks(textLength: session.maximumCommandLength - 200)
      .map { FetchRequest(wanted, $0) }
    try RemoteMailbox(session: session, labels: labels)
      .fetch(opening: nil, next: { requests.popLast() }, into: sink)
    return sink
  }

  /// Messages of the open mailbox that may have one of these Message-IDs: their headers tell.
  ///
  /// - Parameter date: none is older, for servers that do not search, and for ids that cannot be searched for.
  package func uids(withMessageIDs ids: Set<String>, since date: Int64) throws -> UIDSet {
    let isSearchable = ids.allSatisfy { id in id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    let criteria: [SearchCriteria] =
      session.quirks.contains(.noHeaderSearch) || !isSearchable
      ? [.since(date)] : ids.sorted().map { .header("Message-ID", $0) }
    return try search(criteria)
  }

  /// Those of these messages of the open mailbox that may have one of these Message-IDs: their headers tell.
  package func uids(withMessageIDs ids: Set<String>, among uids: UIDSet) throws -> UIDSet {
    let isSearchable = ids.allSatisfy { id in id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    // Of many, the headers are asked for at once.
    guard isSearchable, ids.count <= 20, !session.quirks.contains(.noHeaderSearch) else {
      return try existing(uids)
    }
    return try search(
      ids.sorted().map { .both(.uids(uids), .header("Message-ID", $0)) }
    ).intersection(uids)
  }

  /// Flags and keywords as the server has them now; of those that are gone, nothing.
  package func marks(of uids: UIDSet) throws -> [UID: MessageMarks] {
    try probe(uids, .identities, into: MarkProbe()).marks
  }
}

/// What came of a flight of commands that change things.
package struct ChangeAnswers: ResponseHandler {
  /// By command, as all that follow.
  package private(set) var results: [Int: TaggedResult] = [:]
  /// Where copied and moved messages went, by command.
  package private(set) var copied: [Int: [CopyUID]] = [:]
  package private(set) var found: [Int: UIDSet] = [:]
  package private(set) var selected = SelectedMailbox()
  package private(set) var rights: [Int: MailboxRights] = [:]

  package init() {}

  package mutating func received(_ response: UntaggedResponse, during command: Int) {
    selected.absorb(response)
    switch response {
    case .status(.ok, let text):
      // MOVE reports COPYUID before its own completion (RFC 6851 §4.3).
      if case .copyUID(let copy) = text.code { copied[command, default: []].append(copy) }
    case .search(let result): found[command] = (found[command] ?? UIDSet()).union(result.uids)
    case .myRights(_, let told): rights[command] = told
    default: break
    }
  }

  package mutating func completed(_ command: Int, _ result: TaggedResult) {
    results[command] = result
    selected.absorb(result)
    if case .copyUID(let copy) = result.code { copied[command, default: []].append(copy) }
  }

  package func isOK(_ command: Int) -> Bool { results[command]?.isOK == true }
}
