import IMAPWire
import MailCore
import Maildir
import State

/// Whether a mailbox under a new name is the one that had the old name, by the headers of some messages.
struct MailboxIdentity {
  let context: AccountContext
  let record: MailboxRecord

  func matches(_ listing: MailboxListing, _ remote: IMAPRemoteMailbox) throws -> Bool {
    guard let id = record.id else { return false }
    var hashes: [UID: UInt64] = [:]
    for range in try sample(of: context.state.uids(.known, in: id)).ranges {
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
    // Some may have been expunged since; what is there must be the same. Where none is there any more, nothing tells: a
    // server may give one UIDVALIDITY to many mailboxes.
    return !probe.hashes.isEmpty && probe.hashes.allSatisfy { hashes[$0.key] == $0.value }
  }

  /// The newest, and some of all ages.
  private func sample(of known: UIDSet) -> UIDSet {
    let distance = max(1, known.count / 40)
    let spread = known.uids.enumerated().filter { $0.offset % distance == 0 }.map(\.element)
    return UIDSet(known.splitNewest(10).newest.uids + spread)
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
