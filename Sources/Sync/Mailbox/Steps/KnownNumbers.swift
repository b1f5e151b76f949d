import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// Whether the server has given the numbers that the ledger knows to other messages, without a word: an account that was
/// filled anew keeps its UIDVALIDITY with some servers (Zimbra), and its counters may be beyond those of before.
///
/// One size that is asked for with the first look tells that something is wrong; then headers decide. One message that
/// differs is none: some servers change what they have under the same number (Exchange).
struct KnownNumbers {
  let mailbox: PulledMailbox
  /// How many messages are compared where the size is another.
  private static let sample = 8

  /// The newest message of which a pull knows the size; nil where the server's sizes, or the folder's records, are not to
  /// be relied on.
  func probe(among known: KnownMessages) throws -> MessageRecord? {
    guard !mailbox.context.serverCountsWrong, !mailbox.record.needsAdoption,
      let last = known.recorded.subtracting(known.pushed).last,
      let record = try mailbox.state.message(in: mailbox.id, last), record.isComparable
    else { return nil }
    return record
  }

  func meanOthers(
    _ probe: MessageRecord?, _ delta: MailboxDelta, _ known: KnownMessages,
    _ remote: borrowing OpenMailbox
  ) throws -> Bool {
    guard let probe, let size = delta.probedSize, size != probe.serverSize,
      delta.uidValidity.rawValue == mailbox.record.uidValidity
    else { return false }
    let records = try mailbox.state.messages(in: mailbox.id, spread(known)).filter(\.isComparable)
    // What one look shows may be a slip of the server's.
    for _ in 0..<2 {
      let headers = try remote.headers(of: UIDSet(records.map(\.uid)))
      let shown = records.filter { headers[$0.uid] != nil }
      let differing = shown.count { headers[$0.uid]?.hash != $0.headerHash }
      guard differing > 1, differing > shown.count - differing else { return false }
    }
    return true
  }

  /// The newest, and as many between them and the oldest.
  private func spread(_ known: KnownMessages) -> UIDSet {
    let uids = Array(known.recorded.subtracting(known.pushed).uids)
    let step = max(1, uids.count / (Self.sample / 2))
    let some = stride(from: 0, to: uids.count, by: step).map { uids[$0] }
    return UIDSet(Set(some.prefix(Self.sample / 2) + uids.suffix(Self.sample / 2)).sorted())
  }
}

extension MessageRecord {
  /// The server gave it to a pull, with these numbers of its own.
  fileprivate var isComparable: Bool {
    serverSize > 0 && headerHash != 0 && traits.isDisjoint(with: [.expunged, .differs, .outOfView])
  }
}
