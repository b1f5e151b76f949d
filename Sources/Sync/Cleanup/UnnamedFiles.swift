import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Files of a tree that came back whose names no pull gave: a mail reader saved them here, a push sent them, and since then
/// another client moved the message. It had no file where the server has it now: a pull since then downloaded it.
///
/// Evidence is the content, and that the file has the very date of the message on the server. What goes beyond one file for
/// each message is a copy, and is sent; so is all of which a file here was found to be the message.
struct UnnamedFiles {
  let context: AccountContext
  /// By mailbox, how many files are on record as undecided.
  let undecided: [MailboxKey: Int]
  /// Files that are kept as such messages already.
  let kept: [SurplusFile]

  func find(among records: [MailboxRecord]) throws -> [MailboxKey: [SurplusFile]] {
    let mailboxes = records.byKey
    var used = Dictionary(kept.map { ($0.contentHash, 1) }, uniquingKeysWith: +)
    var found: [MailboxKey: [SurplusFile]] = [:]
    for record in records where !record.isGone && record.isSettled {
      let id = record.id
      guard undecided[id] != nil,
        let local = try context.folders.local(ofMailbox: id)
      else { continue }
      try context.sparing(record.name) {
        let unknown = try context.state.undecidedFiles(in: id).filter { $0.origin == .unknown }
        for (file, _) in try RecordedFiles(unknown).files(in: local.folder) {
          guard let digest = try local.digest(of: file) else { continue }
          let date = try local.folder.facts(file).modified / 1_000_000_000
          let count = try arrivals(of: digest, from: date, besides: id, mailboxes)
          let content = digest.contentHash
          guard used[content, default: 0] < count else { continue }
          used[content, default: 0] += 1
          found[id, default: []].append(SurplusFile(file, digest))
        }
      }
    }
    return found
  }

  /// How many messages of this content and date were downloaded, and have no other file; none where a file here was found to
  /// be one.
  private func arrivals(
    of digest: MessageDigest, from date: Int64, besides mailbox: MailboxKey,
    _ mailboxes: [MailboxKey: MailboxRecord]
  ) throws -> Int {
    let copies = try context.state.copies(ofContent: digest.contentHash)
    guard !copies.contains(where: { $0.message.traits.contains(.adopted) }) else { return 0 }
    return copies.count { place, message in
      guard place != mailbox, let home = mailboxes[place], !home.isGone else { return false }
      return message.headerHash == digest.headerHash && message.internalDate == date
        && message.traits.isDisjoint(with: [.outOfView, .differs, .expunged, .pruned])
        && home.hasArrived(message)
    }
  }
}
