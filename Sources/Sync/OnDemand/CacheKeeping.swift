import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import SyncPlan

/// Keeps the messages that were filled within the cache: those used least recently become stubs again.
///
/// A file's time of change tells when it was used: filling makes a new file, and what opens it, or saves from it, touches
/// it. So does a reader that changes its flags.
struct CacheKeeping {
  let run: AccountRun
  let context: AccountContext

  func run(_ outcome: inout OnDemandWork.Outcome) throws {
    guard let limit = context.onDemand, try context.state.hasOnDemand(.filled) else { return }
    let filled = try context.state.onDemand(.filled)
    let budget = run.account.sync.cache
    guard filled.reduce(0, { $0 + $1.message.serverSize }) > budget else { return }
    let mailboxes = try context.state.mailboxes().byKey
    let drafts = FolderRoles(Array(mailboxes.values)).drafts
    var entries: [CachePlan.Entry] = []
    var messages: [OnDemandMessage] = []
    for (id, record) in filled {
      guard let mailbox = mailboxes[id], mailbox.isMatched, !drafts.contains(id) else { continue }
      guard let entry = try entry(record, in: id, number: messages.count) else { continue }
      messages.append(OnDemandMessage(mailbox: mailbox, record: record))
      entries.append(entry)
    }
    let leaving = CachePlan.leaving(
      entries, budget: budget, now: context.started, stay: Self.stay(run.environment))
    try OnDemandWork(run: run, context: context).makeStubs(
      leaving.map { messages[$0] }, limit: limit, tellsWhatCannotBe: false, &outcome)
  }

  /// Nil where it has no file that could go.
  private func entry(_ record: MessageRecord, in mailbox: MailboxKey, number: Int) throws
    -> CachePlan.Entry?
  {
    let local = try context.folders.local(ofMailbox: mailbox)
    guard let local, let file = try local.file(of: record)
    else { return nil }
    let used = try local.folder.facts(file).changed / 1_000_000_000
    let flags: MessageFlags = [.flagged, .draft]
    let isHeld =
      try !record.agreed.flags.isDisjoint(with: flags)
      || !file.fileName.flags.isDisjoint(with: flags)
      || !record.traits.isDisjoint(with: [.outOfView, .expunged, .differs, .wanted])
      || !local.isAsAgreed(file, record)
    return CachePlan.Entry(
      number: number, bytes: record.serverSize, used: used, date: record.internalDate,
      isHeld: isHeld)
  }

  /// Tests cannot wait for a week.
  private static func stay(_ environment: [String: String]) -> Int64 {
    environment["MIRROR_CACHE_SECONDS"].flatMap { Int64($0) } ?? CachePlan.shortestStay
  }
}
