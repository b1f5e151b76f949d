import IMAPClient
import IMAPWire
import MailCore

/// ``SentMailboxes`` over an IMAP session.
package final class IMAPSentMailboxes: SentMailboxes {
  private let session: IMAPSession
  private let listings: [MailboxListing]
  private let end: (IMAPSession) -> Void

  /// Lists the mailboxes.
  ///
  /// - Parameters:
  ///   - session: logged in.
  ///   - end: what becomes of it afterwards.
  package init(_ session: IMAPSession, end: @escaping (IMAPSession) -> Void = { $0.logout() })
    throws
  {
    self.session = session
    self.end = end
    listings = try session.discover().filter(\.isSelectable)
  }

  package func close() { end(session) }
  package var isUsable: Bool { session.isUsable }

  private var sent: MailboxListing? {
    let names = ["sent", "sent items", "sent messages", "sent mail", "sent-mail"]
    let named = listings.filter { listing in
      listing.name.levels.last.map { names.contains(Keywords.fold($0)) } ?? false
    }
    // Of two that read the same it is the one that a client would write so.
    return listings.first { $0.specialUse.contains(.sent) }
      ?? named.first { session.names.isCanonical($0.rawName, delimiter: $0.delimiter) }
      ?? named.first
  }

  package func sentHolds(_ sought: [SoughtMessage]) throws -> [Result<Bool, any Error>] {
    do {
      return try sentHolds(together: sought).map { .success($0) }
    } catch {
      // An id that the server cannot search for stands in no other's way.
      guard sought.count > 1, isUsable else { throw error }
      return try sought.map { one in
        let alone = Result { try sentHolds(together: [one])[0] }
        if !isUsable { _ = try alone.get() }
        return alone
      }
    }
  }

  private func sentHolds(together sought: [SoughtMessage]) throws -> [Bool] {
    guard let sent else { throw SentMailboxProblem.none }
    let keys = sought.map { one in
      var key = one
      key.subject = nil
      return key
    }
    let known = keys.filter { $0.messageID != nil }
    guard !known.isEmpty else { return keys.map { _ in false } }
    let searches =
      session.quirks.contains(.noHeaderSearch)
      ? [recent(known.map(\.queuedSeconds).min() ?? 0)] : known.flatMap(self.keys)
    var found = FoundUIDs(first: "EXAMINE")
    try session.run(
      [.select(sent.rawName, readOnly: true)] + searches.map { .uidSearch($0) }, handler: &found)
    try found.check()
    let headers = try headers(of: found.uids, most: 500 * known.count)
    return keys.map { key in
      key.messageID != nil && headers.contains { $0.matches(key) }
    }
  }

  package func append(_ copies: [SentCopyUpload]) throws -> [(any Error)?] {
    guard let sent else { throw SentMailboxProblem.none }
    var results = AppendResults(count: copies.count)
    try session.run(
      copies.map { copy in
        try .append(
          to: sent.rawName, marks: MessageMarks(flags: .seen), internalDate: copy.internalDate,
          body: .stream(source(copy)))
      }, handler: &results)
    return results.refusals
  }

  private func source(_ copy: SentCopyUpload) -> IMAPCommand.Source {
    IMAPCommand.Source(size: Int(copy.size)) { sink in
      var block = [UInt8](repeating: 0, count: 64 * 1024)
      var output: [UInt8] = []
      while case let count = try copy.read(&block), count > 0 {
        output.removeAll(keepingCapacity: true)
        for byte in block[..<count] {
          if byte == 0x0A { output.append(0x0D) }
          output.append(byte)
        }
        try output.withUnsafeBytes(sink)
      }
    }
  }

  // MARK: Proof

  package func proof(of sought: SoughtMessage) throws -> String? {
    var places = listings.filter { $0.specialUse.contains(.all) }
    if let sent, !places.contains(where: { $0.rawName == sent.rawName }) { places.append(sent) }
    if sought.goesToSelf { places += listings.filter(\.name.isInbox) }
    var failure: (any Error)?
    for place in places {
      do {
        if try !hits(sought, in: place).filter(\.wasReceived).isEmpty { return place.name.text }
      } catch {
        // One mailbox that cannot be searched says nothing about the next.
        guard isUsable else { throw error }
        failure = error
      }
    }
    if let failure { throw failure }
    return nil
  }

  private func hits(_ sought: SoughtMessage, in place: MailboxListing) throws -> [CopyHeader] {
    try session.execute(.select(place.rawName, readOnly: true))
    for criteria in keys(sought) {
      var search = FoundUIDs()
      try session.run([.uidSearch(criteria)], handler: &search)
      try search.check()
      // Any more would be no proof of anything.
      let found = try headers(of: search.uids, most: 500).filter { $0.matches(sought) }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// Of the newest of these in the open mailbox.
  private func headers(of all: UIDSet, most: Int) throws -> [CopyHeader] {
    let uids = all.splitNewest(most).newest
    guard !uids.isEmpty else { return [] }
    var headers = HeaderCollector()
    try session.run(
      [.uidFetch(uids, [], headerFields: ["MESSAGE-ID", "DATE", "SUBJECT", "RECEIVED"])],
      handler: &headers)
    return headers.found
  }

  /// Clocks and zones differ: two days of room.
  private func recent(_ seconds: Int64) -> SearchCriteria { .since(seconds - 2 * 86_400) }

  /// What to search for, in turn; hits are compared with the message itself afterwards.
  private func keys(_ sought: SoughtMessage) -> [SearchCriteria] {
    let recent = recent(sought.queuedSeconds)
    if session.quirks.contains(.noHeaderSearch) { return [recent] }
    var keys: [SearchCriteria] = []
    if let id = sought.spelledID ?? sought.messageID { keys.append(.header("Message-ID", id)) }
    if let date = sought.date, sought.subject != nil {
      keys.append(.both(recent, .header("Date", date)))
    }
    return keys
  }
}

/// What a flight of searches came to, after the EXAMINE that it begins with where that is not done yet.
private struct FoundUIDs: ResponseHandler {
  var uids = UIDSet()
  private let first: String
  private var refusal: (command: Int, result: TaggedResult)?

  init(first: String = "SEARCH") { self.first = first }

  mutating func received(_ response: UntaggedResponse, during command: Int) {
    if case .search(let found) = response { uids = uids.union(found.uids) }
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) {
    if !result.isOK, refusal == nil { refusal = (command, result) }
  }

  func check() throws {
    guard let refusal else { return }
    throw IMAPError(refusing: refusal.command == 0 ? first : "SEARCH", refusal.result)
  }
}

private struct AppendResults: ResponseHandler {
  private(set) var refusals: [(any Error)?]

  init(count: Int) {
    // Until the server says otherwise.
    refusals = Array(repeating: IMAPError.sessionOver, count: count)
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) {
    refusals[command] = result.isOK ? nil : IMAPError(refusing: "APPEND", result)
  }
}

private struct HeaderCollector: ResponseHandler {
  var found: [CopyHeader] = []
  private var bytes: [UInt8] = []
  private static let limit = 256 * 1024
  /// A server that goes on and on is not listened to.
  private static let most = 10_000

  mutating func bodyBegins(_ soFar: FetchData, section: BodySection, size: Int) { bytes = [] }
  mutating func bodyBytes(_ piece: UnsafeRawBufferPointer) {
    if bytes.count < Self.limit { bytes.append(contentsOf: piece) }
  }
  mutating func bodyEnds() { if found.count < Self.most { found.append(CopyHeader(bytes)) } }
}
