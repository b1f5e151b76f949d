import IMAPWire
import MailCore
import Maildir
import State

/// Whether a mailbox under a new name is the one that had the old name, by the headers of its newest messages.
struct MailboxIdentity {
  let context: AccountContext
  let record: MailboxRecord

  /// - Parameter isOnlyOne: no other mailbox of the account, known or listed, has this UIDVALIDITY.
  func matches(_ listing: MailboxListing, _ remote: IMAPRemoteMailbox, isOnlyOne: Bool) throws
    -> Bool
  {
    guard let id = record.id else { return false }
    let known = try context.state.uids(.known, in: id).splitNewest(10).newest
    var hashes: [UID: UInt64] = [:]
    for range in known.ranges {
      for message in try context.state.messages(in: id, range) where message.headerHash != 0 {
        hashes[message.uid] = message.headerHash
      }
    }
    guard !hashes.isEmpty else { return false }
    let probe = HeaderProbe(labelName: context.policy.keywords.line?.name)
    var request: FetchRequest? = FetchRequest(.headers, UIDSet(hashes.keys.sorted()))
    let target = MailboxTarget(
      name: listing.name, rawName: listing.rawName, uidValidity: UIDValidity(record.uidValidity))
    try remote.fetch(
      opening: target,
      next: {
        defer { request = nil }
        return request
      }, into: probe)
    // Some may have been expunged since; what is there must be the same. Where nothing is there any more, only a
    // UIDVALIDITY that no other mailbox shares can tell; small numbers are shared by chance.
    if probe.hashes.isEmpty { return isOnlyOne && record.uidValidity > 1_000_000 }
    return probe.hashes.allSatisfy { hashes[$0.key] == $0.value }
  }
}

/// Hashes the headers it is sent.
final class HeaderProbe: FetchSink {
  private(set) var hashes: [UID: UInt64] = [:]
  private var header: [UInt8] = []
  private let labelName: String?

  init(labelName: String?) { self.labelName = labelName }

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) { header = [] }

  func bytes(_ bytes: UnsafeRawBufferPointer) {
    if header.count < MessageSink.longestHeader { header.append(contentsOf: bytes) }
  }

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    guard hasBytes else { return }
    hashes[message.uid] = header.withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: labelName).headerHash
    }
  }

  func spoilt(uid: UID?, because reason: String) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}
