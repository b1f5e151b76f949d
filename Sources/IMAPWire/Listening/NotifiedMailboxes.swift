/// What NOTIFY told last of each mailbox. Servers repeat what is known: Dovecot tells of all mailboxes again with the first
/// change after NOTIFY SET.
struct NotifiedMailboxes: Sendable {
  private var known: [[UInt8]: MailboxStatus] = [:]
  /// More than any account has; a server that never stops must not fill the memory.
  private static let limit = 100_000

  /// - Returns: nil where it is no news.
  mutating func hint(_ status: MailboxStatus) -> ServerHint? {
    let name = status.rawName
    guard let before = known[name] else {
      if known.count < Self.limit { known[name] = status }
      return .arrived(name)
    }
    let now = before.updated(by: status)
    known[name] = now
    if let next = now.uidNext, next.rawValue > before.uidNext?.rawValue ?? 0 {
      return .arrived(name)
    }
    return now == before ? nil : .changed(name)
  }

  /// - Returns: nil where a mailbox that is known is still there.
  mutating func hint(_ listing: MailboxListing) -> ServerHint? {
    let name = listing.rawName
    if let old = listing.oldName, old != name {
      if var status = known.removeValue(forKey: old) {
        status.rawName = name
        known[name] = status
      }
      return .renamed(from: old, to: name)
    }
    guard listing.isSelectable else {
      known[name] = nil
      return .mailboxes
    }
    guard known[name] == nil else { return nil }
    if known.count < Self.limit {
      known[name] = MailboxStatus(rawName: name, name: listing.name)
    }
    return .mailboxes
  }
}

extension MailboxStatus {
  /// NOTIFY tells only what may have changed.
  fileprivate func updated(by news: MailboxStatus) -> MailboxStatus {
    var status = self
    status.messages = news.messages ?? messages
    status.unseen = news.unseen ?? unseen
    status.uidNext = news.uidNext ?? uidNext
    status.uidValidity = news.uidValidity ?? uidValidity
    status.highestModSeq = news.highestModSeq ?? highestModSeq
    return status
  }
}
