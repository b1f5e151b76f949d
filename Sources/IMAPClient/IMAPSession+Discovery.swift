import IMAPWire
import MailCore

extension IMAPSession {
  /// All mailboxes with their STATUS: in one flight with ENABLE, ID and NAMESPACE where the server has
  /// LIST-STATUS (RFC 5819), of a known server in one with the log-in; else LIST and then all STATUS commands at once.
  ///
  /// A mailbox whose STATUS is refused keeps the refusal in `statusFailure`.
  package func discover() throws -> [MailboxListing] {
    var listings: [MailboxListing] = []
    if let answer = try listAhead(), answer.result?.isOK == true { listings = answer.listings }
    hasListedUses = capabilities.contains(.specialUse)
    if listings.isEmpty, capabilities.contains(.listStatus) {
      let answer = try list(returning: statusItems)
      if let result = answer.result, let throttle = result.throttle, !result.isOK {
        throw IMAPError.throttled(seconds: throttle.seconds, result.text)
      }
      // Some servers refuse the extended form, or answer it with nothing at all.
      if answer.result?.isOK == true { listings = answer.listings }
    }
    if listings.isEmpty {
      hasListedUses = false
      let answer = try list(returning: [])
      guard let result = answer.result, result.isOK else {
        throw IMAPError(
          refusing: "LIST", answer.result ?? TaggedResult(status: .no, text: ""))
      }
      listings = answer.listings
    }
    if quirks.contains(.outboxSends) {
      for index in listings.indices where listings[index].name.isOutbox {
        listings[index].attributes.insert(.noSelect)
      }
    }
    try fillStatus(&listings)
    return listings
  }

  /// Of these, those that the server has, whatever its list shows: LIST may leave mailboxes out (Zimbra with one share that
  /// is broken).
  package func unlisted(_ listings: [MailboxListing]) throws -> [MailboxListing] {
    var asked = listings
    for index in asked.indices { (asked[index].status, asked[index].statusFailure) = (nil, nil) }
    try fillStatus(&asked)
    return asked.filter { $0.status != nil && $0.statusFailure == nil }
  }

  /// What mailboxes are for, by raw name, asked once more; nil where the server gave no list.
  package func uses() throws -> [[UInt8]: [SpecialUse]]? {
    let returning = ListReturn(specialUse: capabilities.contains(.specialUse))
    var collector = ListCollector(listCommand: 0)
    try run([.list(returning: returning)], handler: &collector)
    guard collector.result?.isOK == true else { return nil }
    return Dictionary(collector.listings.map { ($0.rawName, $0.specialUse) }) { first, _ in first }
  }

  /// What the mailboxes hold, in bytes, by raw name: as far as the server has STATUS=SIZE (RFC 8438) and says it in time.
  ///
  /// Some servers have to look into every message for it, so only so many seconds are spent, and each mailbox may keep
  /// silent for that long. Where it takes longer, the session may be over.
  package func sizes(of listings: [MailboxListing], within seconds: Double) -> [[UInt8]: Int64] {
    guard capabilities.contains(.statusSize) else { return [:] }
    let wanted = listings.filter { $0.isSelectable && ($0.status?.messages ?? 0) > 0 }
    var rest = wanted[...]
    var collector = StatusCollector(listings: wanted, asked: Array(wanted.indices))
    let before = silenceSeconds
    silenceSeconds = min(before, seconds)
    defer { silenceSeconds = before }
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    // What was heard until it fails is true all the same.
    try? pipeline(
      depth: 8,
      next: {
        guard ContinuousClock.now < end else { return nil }
        return rest.popFirst().map { .status($0.rawName, .size) }
      }, handler: &collector)
    return collector.listings.reduce(into: [:]) { $0[$1.rawName] = $1.status?.size }
  }

  var statusItems: StatusItems {
    var items: StatusItems = [.messages, .uidNext, .uidValidity]
    if capabilities.contains(.condstore) || capabilities.contains(.qresync) {
      items.insert(.highestModSeq)
    }
    if capabilities.contains(.objectID), !quirks.contains(.rawMailboxID) {
      items.insert(.mailboxID)
    }
    return items
  }

  private func list(returning status: StatusItems) throws -> ListCollector {
    let commands = listCommands(returning: status)
    var collector = ListCollector(listCommand: commands.count - 1)
    try run(commands, handler: &collector)
    collector.attachStatuses()
    return collector
  }

  /// LIST is the last of them.
  func listCommands(returning status: StatusItems) -> [IMAPCommand] {
    var returning = ListReturn(status: status)
    if !status.isEmpty {
      returning.subscribed = capabilities.contains(.listExtended)
      returning.specialUse = capabilities.contains(.specialUse)
    }
    var commands: [IMAPCommand] = []
    if namespaces == nil, capabilities.contains(.namespace) { commands.append(.namespace) }
    commands.append(.list(returning: returning))
    return commands
  }

  /// Asks for each STATUS that LIST did not bring along.
  private func fillStatus(_ listings: inout [MailboxListing]) throws {
    let missing = listings.indices.filter {
      listings[$0].isSelectable && listings[$0].status == nil
        && listings[$0].statusFailure == nil
    }
    guard !missing.isEmpty else { return }
    let items = statusItems
    var rest = missing[...]
    var collector = StatusCollector(listings: listings, asked: missing)
    try pipeline(
      depth: 64,
      next: { [listings] in
        rest.popFirst().map { .status(listings[$0].rawName, items) }
      }, handler: &collector)
    listings = collector.listings
  }
}

/// Gathers LIST and the STATUS responses that come with it.
struct ListCollector: ResponseHandler {
  let listCommand: Int
  var listings: [MailboxListing] = []
  var result: TaggedResult?
  private var places: [[UInt8]: Int] = [:]
  private var statuses: [MailboxStatus] = []
  private var nameBytes = 0
  /// More than any account has; a server that never stops must not fill the memory.
  private static let limit = 100_000
  private static let nameLimit = 8 << 20

  init(listCommand: Int) { self.listCommand = listCommand }

  mutating func received(_ response: UntaggedResponse, during command: Int) throws {
    switch response {
    case .list(let listing):
      // The empty name is the answer to a question for the delimiter.
      guard !listing.rawName.isEmpty, places[listing.rawName] == nil else { return }
      places[listing.rawName] = listings.count
      nameBytes += listing.rawName.count
      listings.append(listing)
    case .mailboxStatus(let status):
      nameBytes += status.rawName.count
      statuses.append(status)
    default: break
    }
    if max(listings.count, statuses.count) > Self.limit || nameBytes > 2 * Self.nameLimit {
      throw IMAPError.protocolViolation("more than \(Self.limit) mailboxes")
    }
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) {
    if command == listCommand { self.result = result }
  }

  /// STATUS names a mailbox as LIST did, or else by an equal name (INBOX in another case), where that is one mailbox's.
  mutating func attachStatuses() {
    var byName: [MailboxName: [Int]]?
    for status in statuses {
      if let place = places[status.rawName] {
        listings[place].status = status
        continue
      }
      let names = byName ?? Dictionary(grouping: listings.indices) { listings[$0].name }
      byName = names
      if let found = names[status.name], found.count == 1 { listings[found[0]].status = status }
    }
    statuses = []
  }
}

/// Puts the answers to STATUS commands where they belong: by command, since names may come back spelled
/// differently.
private struct StatusCollector: ResponseHandler {
  var listings: [MailboxListing]
  let asked: [Int]

  mutating func received(_ response: UntaggedResponse, during command: Int) {
    guard case .mailboxStatus(let status) = response, asked.indices.contains(command) else {
      return
    }
    listings[asked[command]].status = status
  }

  mutating func completed(_ command: Int, _ result: TaggedResult) {
    guard asked.indices.contains(command), !result.isOK else { return }
    listings[asked[command]].statusFailure = result
    // Dovecot over Maildir lists what was deleted and has others below it as if it were there.
    if result.saysNoSuchMailbox { listings[asked[command]].attributes.insert(.nonExistent) }
  }
}
