import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Remote
import SyncPlan

/// Whether the server has given the numbers that the ledger knows to other messages, without a word: an account that was
/// filled anew keeps its UIDVALIDITY with some servers (Zimbra), and its counters may be beyond those of before.
///
/// One size that is asked for with the first look tells that something is wrong; then the newest known messages decide: all
/// of them have to have another Message-ID. Servers change the headers of what they have (scanners, bridges), and single
/// messages under their numbers (Exchange). Numbers that a server gives once more are the newest.
struct KnownNumbers {
  let context: AccountContext
  let mailbox: MailboxRecord
  /// UIDs that a pull has seen.
  let uids: UIDSet
  /// How many messages are compared where the size is another.
  private static let sample = 4
  /// Among how many they are looked for: files may be gone, or have been changed.
  private static let most = 50

  /// The newest message of which a pull knows the size; nil where the server's sizes, or the folder's records, are not to
  /// be relied on.
  func probe() throws -> MessageRecord? {
    guard !context.serverCountsWrong, !mailbox.needsAdoption, let last = uids.last,
      let newest = try context.state.message(in: mailbox.id, last), newest.isComparable
    else { return nil }
    return newest
  }

  /// - Parameters:
  ///   - size: of the probe, as the server said it in this mailbox, under the UIDVALIDITY that the state knows.
  ///   - local: the mailbox's folder.
  func meanOthers(
    _ probe: MessageRecord, size: Int64?, _ local: @autoclosure () throws -> LocalFolder,
    _ remote: borrowing OpenMailbox
  ) throws -> Bool {
    guard let size, size != probe.serverSize else { return false }
    let identities = try identities(in: local())
    guard identities.count > 1 else { return false }
    // What one look shows may be a slip of the server's.
    for _ in 0..<2 {
      let shown = try remote.headers(of: UIDSet(identities.keys.sorted()))
      let areOthers = identities.allSatisfy { uid, identity in
        shown[uid]?.messageID.map { $0 != identity } ?? false
      }
      guard areOthers else { return false }
    }
    return true
  }

  /// The Message-IDs of the newest known messages, by their files.
  private func identities(in local: LocalFolder) throws -> [UID: String] {
    var found: [UID: String] = [:]
    for uid in uids.uids.suffix(Self.most).reversed() {
      guard found.count < Self.sample else { break }
      guard let record = try context.state.message(in: mailbox.id, uid), record.isComparable,
        let file = try local.file(of: record),
        let header = try local.header(of: file)
      else { continue }
      found[uid] = MessageIDField.value(in: header)
    }
    return found
  }
}

extension MessageRecord {
  /// The server gave it to a pull, with these numbers of its own.
  fileprivate var isComparable: Bool {
    serverSize > 0 && !name.isEmpty && traits.isDisjoint(with: [.expunged, .differs, .outOfView])
  }
}
