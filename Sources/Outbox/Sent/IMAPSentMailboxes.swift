import IMAPClient
import IMAPWire
import MailCore

package enum SentMailboxProblem: Error, Equatable, Sendable {
  /// No mailbox is marked \Sent, and none is called so.
  case none
}

extension SentMailboxProblem: Explained {
  package var explanation: Explanation {
    Explanation(
      problem: "The server has no mailbox for sent mail, so no copy was filed.",
      remedy: "Create one called Sent, or set sent-copy = \"server\".", exitStatus: .inPart)
  }
}

/// ``SentMailboxes`` over an IMAP session.
package final class IMAPSentMailboxes: SentMailboxes {
  private let session: IMAPSession
  private let listings: [MailboxListing]

  /// Lists the mailboxes.
  ///
  /// - Parameter session: logged in.
  package init(_ session: IMAPSession) throws {
    self.session = session
    listings = try session.discover().filter(\.isSelectable)
  }

  package func close() { session.logout() }
  package var isUsable: Bool { session.isUsable }

  private var sent: MailboxListing? {
    let names = ["sent", "sent items", "sent messages", "sent mail", "sent-mail"]
    return listings.first { $0.specialUse.contains(.sent) }
      ?? listings.first { listing in
        listing.name.levels.last.map { names.contains(Keywords.fold($0)) } ?? false
      }
  }

  package func sentHolds(_ sought: SoughtMessage) throws -> Bool {
    guard let sent else { throw SentMailboxProblem.none }
    var key = sought
    key.subject = nil
    return try !hits(key, in: sent).isEmpty
  }

  package func append(
    size: UInt64, internalDate: Int64, read: @escaping (inout [UInt8]) throws -> Int
  ) throws {
    guard let sent else { throw SentMailboxProblem.none }
    let source = IMAPCommand.Source(size: Int(size)) { sink in
      var block = [UInt8](repeating: 0, count: 64 * 1024)
      var output: [UInt8] = []
      while case let count = try read(&block), count > 0 {
        output.removeAll(keepingCapacity: true)
        for byte in block[..<count] {
          if byte == 0x0A { output.append(0x0D) }
          output.append(byte)
        }
        try output.withUnsafeBytes(sink)
      }
    }
    try session.execute(
      .append(
        to: sent.rawName, marks: MessageMarks(flags: .seen), internalDate: internalDate,
        body: .stream(source)))
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
      try search.check("SEARCH")
      // Any more would be no proof of anything.
      let uids = search.uids.splitNewest(500).newest
      guard !uids.isEmpty else { continue }
      var headers = HeaderCollector()
      try session.run(
        [
          .uidFetch(
            uids, [], headerFields: ["MESSAGE-ID", "DATE", "SUBJECT", "RECEIVED"])
        ], handler: &headers)
      let found = headers.found.filter { $0.matches(sought) }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// What to search for, in turn; hits are compared with the message itself afterwards.
  private func keys(_ sought: SoughtMessage) -> [SearchCriteria] {
    // Clocks and zones differ: two days of room.
    let recent = SearchCriteria.since(sought.queuedSeconds - 2 * 86_400)
    if session.quirks.contains(.noHeaderSearch) { return [recent] }
    var keys: [SearchCriteria] = []
    if let id = sought.spelledID ?? sought.messageID { keys.append(.header("Message-ID", id)) }
    if let date = sought.date, sought.subject != nil {
      keys.append(.both(recent, .header("Date", date)))
    }
    return keys
  }
}

private struct FoundUIDs: ResponseHandler {
  var uids = UIDSet()
  var result: TaggedResult?

  mutating func received(_ response: UntaggedResponse, during command: Int) {
    if case .search(let found) = response { uids = uids.union(found.uids) }
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) { self.result = result }

  func check(_ command: String) throws {
    if let result, !result.isOK { throw IMAPError(refusing: command, result) }
  }
}

private struct HeaderCollector: ResponseHandler {
  var found: [CopyHeader] = []
  private var bytes: [UInt8] = []
  private static let limit = 256 * 1024

  mutating func bodyBegins(_ soFar: FetchData, section: BodySection, size: Int) { bytes = [] }
  mutating func bodyBytes(_ piece: UnsafeRawBufferPointer) {
    if bytes.count < Self.limit { bytes.append(contentsOf: piece) }
  }
  mutating func bodyEnds() { found.append(CopyHeader(bytes)) }
}
