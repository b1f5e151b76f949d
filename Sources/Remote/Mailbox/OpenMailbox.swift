import IMAPClient
import IMAPWire
import MailCore
import SyncPlan

/// One mailbox, open on one connection. Commands that name messages by UID exist nowhere else, and it exists only within
/// ``RemoteConnection/withMailbox(_:_:)``. It is over once another one is opened.
package struct OpenMailbox: ~Copyable {
  let session: IMAPSession
  let labels: LabelPolicy
  /// The header field that holds a message's keywords in its file, if there is one.
  let labelName: String?
  let selection: Selection

  /// What SELECT told, where it was sent by itself.
  package var facts: SelectedMailbox { selection.facts }

  /// What the server said of the size that was asked for with the opening.
  package var probedSize: Int64? { selection.probedSize }

  func checkIsOpen() {
    precondition(!selection.isLeft, "Another mailbox was opened meanwhile.")
  }

  /// The server has not gone on to another mailbox: what is asked for now costs no command that opens it again.
  package var isOpen: Bool { selection.isOpen }

  /// Also where the connection went on to another mailbox, and this one is needed once more.
  func openIfNeeded() throws {
    if !selection.isOpen { try fetch(next: { nil }, into: IdentityProbe { _ in }) }
  }

  /// Sends all of them without waiting in between.
  package func run(_ commands: [IMAPCommand]) throws -> ChangeAnswers {
    checkIsOpen()
    try openIfNeeded()
    return try session.answers(to: commands)
  }

  /// UIDs in as many pieces as commands are needed.
  ///
  /// - Parameter bytes: left for what the command says besides.
  package func chunks(_ uids: UIDSet, besides bytes: Int = 200) -> [UIDSet] {
    uids.chunks(textLength: session.maximumCommandLength - bytes)
  }

  /// UIDVALIDITY of a mailbox that is only looked at, opened once more: STATUS tells of what is open already. Nil where the
  /// server does not tell.
  package func validityNow() throws -> UIDValidity? {
    try run([.select(selection.target.rawName, readOnly: true)]).selected.uidValidity
  }

  // MARK: Searching

  /// Which of them still exist.
  package func existing(_ uids: UIDSet) throws -> UIDSet {
    try found(by: session.looks(for: uids)).intersection(uids)
  }

  /// Those of `uids` that a command which changes messages may name. Where one for a missing UID may act on the next
  /// message, they are looked for just before; elsewhere missing ones are passed over by the server.
  package func nameable(_ uids: UIDSet) throws -> UIDSet {
    session.passesOverMissingUIDs ? uids : try existing(uids)
  }

  package func uids(from first: UInt32) throws -> UIDSet {
    try existing(UIDSet(max(1, first)...UInt32.max))
  }

  /// Messages whose INTERNALDATE is not before that day (Unix seconds).
  package func uids(since date: Int64) throws -> UIDSet { try search([.since(date)]) }

  /// Messages that may have one of these Message-IDs: their headers tell.
  ///
  /// - Parameter date: none is older, for servers that do not search, and for ids that cannot be searched for.
  package func uids(withMessageIDs ids: Set<String>, since date: Int64) throws -> UIDSet {
    try search(canSearch(for: ids) ? ids.sorted().map { .messageID($0) } : [.since(date)])
  }

  /// Those of these messages that may have one of these Message-IDs: their headers tell.
  package func uids(withMessageIDs ids: Set<String>, among uids: UIDSet) throws -> UIDSet {
    // Of many, the headers are asked for at once.
    guard canSearch(for: ids), session.passesOverMissingUIDs, ids.count <= 20 else {
      return try existing(uids)
    }
    return try search(ids.sorted().map { .both(.uids(uids), .messageID($0)) }).intersection(uids)
  }

  package func uids(withMessageID id: String) throws -> UIDSet { try search([.messageID(id)]) }

  /// What a person looks for, as the server understands it.
  package func uids(matching criteria: SearchCriteria) throws -> UIDSet { try search([criteria]) }

  private func canSearch(for ids: Set<String>) -> Bool {
    !session.quirks.contains(.noHeaderSearch)
      && ids.allSatisfy { id in id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
  }

  /// What one of them finds, in one flight.
  private func search(_ criteria: [SearchCriteria]) throws -> UIDSet {
    let isUTF8 = session.names.isUTF8
    return try found(by: criteria.map { .uidSearch($0, isUTF8: isUTF8) })
  }

  private func found(by searches: [IMAPCommand]) throws -> UIDSet {
    let answers = try run(searches)
    for command in searches.indices {
      let result = try answers.result(command)
      guard result.isOK else { throw IMAPError(refusing: "UID SEARCH", result) }
    }
    return answers.allFound
  }

  // MARK: Fetching

  /// EMAILID or X-GM-MSGID identify messages across mailboxes.
  package var identifiesMessages: Bool {
    session.hasEmailIDs || session.capabilities.contains(.gmail)
  }

  /// Where a message's last line does not end, it got a line end on its way here.
  package var addsLineEnd: Bool { session.quirks.contains(.finalLineEnd) }

  var markItems: FetchItems {
    session.capabilities.contains(.gmail) ? [.flags, .gmailLabels] : [.flags]
  }

  var identityItems: FetchItems {
    var items: FetchItems = markItems.union([.internalDate, .size])
    if session.capabilities.contains(.gmail) {
      items.insert(.gmailIDs)
    } else if session.hasEmailIDs {
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
  static var depth: Int { 4 }

  /// Runs requests with several in flight. `next` is asked whenever there is room; nil means nothing just now,
  /// and with nothing in flight it means done. A mailbox that is not selected yet is so in the same flight.
  ///
  /// - Parameter isLast: nothing else is to be asked for in this mailbox, as far as can be foreseen.
  /// - Throws: ``SyncError/uidValidityChanged(_:)`` when it is not the mailbox that was meant.
  package func fetch(
    isLast: Bool = false, next: () throws -> FetchRequest?, into sink: some FetchSink
  ) throws {
    checkIsOpen()
    var pieces: [FetchRequest] = []  // of one request, where its UIDs do not fit one command line
    if selection.isOpen {
      guard let request = try next() else { return }
      pieces = self.pieces(of: request)
    }
    while try fetch(isLast, &pieces, next, sink) {
      // What turned out to be missing wants the mailbox once more.
      guard pieces.isEmpty else { continue }
      guard let request = try next() else { return }
      pieces = self.pieces(of: request)
    }
  }

  /// - Returns: whether the server is on its way to another mailbox. Else there is no request any more.
  private func fetch(
    _ isLast: Bool, _ pieces: inout [FetchRequest], _ next: () throws -> FetchRequest?,
    _ sink: some FetchSink
  ) throws -> Bool {
    let requests = RequestLog()
    var opening: MailboxTarget?
    if !selection.isOpen {
      opening = selection.target
      opening?.uidValidity = selection.validity ?? selection.target.uidValidity
    }
    var handler = FetchHandler(sink: sink, labels: labels, target: opening, requests: requests)
    if session.quirks.contains(.missingBodies) { handler.substitute = SubstituteText() }
    var isLeft = false
    try session.pipeline(
      depth: Self.depth,
      next: {
        if let target = opening {
          opening = nil
          requests.append(nil)
          return .select(target.rawName, readOnly: true, sync: .plain)
        }
        if isLeft { return nil }
        if pieces.isEmpty, let request = try next() { pieces = self.pieces(of: request) }
        guard let request = pieces.last else {
          if isLast, requests.awaitsOnlyFewBodies { isLeft = try goOn() }
          return nil
        }
        let command = IMAPCommand.uidFetch(request.uids, items(request.wanted))
        guard try session.isTurn(of: command) else {
          isLeft = true
          return nil
        }
        pieces.removeLast()
        requests.append(request)
        return command
      }, handler: &handler)
    selection.isOpen = !session.hasSentAhead
    return isLeft
  }

  private func pieces(of request: FetchRequest) -> [FetchRequest] {
    chunks(request.uids).map { FetchRequest(request.wanted, $0) }
  }

  /// Asks in the mailboxes that come next.
  ///
  /// - Returns: whether the server goes on to another mailbox.
  func goOn() throws -> Bool {
    let next = selection.next
    selection.next = nil
    try next? { try sendAhead($0) }
    return session.hasSentAhead
  }

  private func sendAhead(_ opening: Opening) throws -> SentAhead {
    switch opening {
    case .look(let target, let question):
      return try session.sendAhead(flight(to: target, asking: question).commands)
        ? .whole : .nothing
    case .messages(let target, let request):
      let pieces = pieces(of: request)
      var commands = [IMAPCommand.select(target.rawName, readOnly: true, sync: .plain)]
      if let first = pieces.last { commands.append(.uidFetch(first.uids, items(first.wanted))) }
      guard try session.sendAhead(commands) else { return .nothing }
      return pieces.count == 1 && request.wanted == .bodies ? .whole : .begun
    }
  }
}

extension SearchCriteria {
  fileprivate static func messageID(_ id: String) -> SearchCriteria { .header("Message-ID", id) }
}
