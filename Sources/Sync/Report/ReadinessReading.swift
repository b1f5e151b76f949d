import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// Whether a person can go offline with an account as it is: its history is whole, and nothing failed. What waits to be
/// pushed or sent waits as well without a network.
struct ReadinessReading {
  let store: StateStore
  let tree: AccountTree
  let folders: FolderPatterns

  func fill(
    _ status: inout AccountStatus, _ records: [MailboxRecord], _ failures: [FailureRecord]
  ) throws {
    let history = try history(records)
    status.history = history
    if !history.whole {
      status.hindrances.append(
        history.known < history.total
          ? "\(Quantities.grouped(history.known)) of \(Quantities.grouped(history.total)) messages are here"
          : "not every mailbox was pulled to its end")
    }
    let failed = failures.filter { $0.uid != nil }.reduce(0) { $0 + 1 + $1.others }
    if failed > 0 {
      status.hindrances.append("\(Quantities.count(failed, "message")) could not be pulled")
    }
    let boxes = Set(failures.filter { $0.uid == nil }.map(\.mailbox))
    if !boxes.isEmpty {
      let names = records.filter { boxes.contains($0.id) }.map(\.name)
      status.hindrances.append("not pulled: \(names.joined(separator: ", "))")
    }
    let dirty = records.filter {
      $0.isDirty && $0.hasWholeHistory && !$0.isGone && MailboxCatalogue.isMirrored($0, folders)
    }
    if !dirty.isEmpty {
      status.hindrances.append(
        "the next pull has to look through \(dirty.map(\.name).joined(separator: ", "))")
    }
    if let how = try undonePull(), status.hindrances.isEmpty {
      status.hindrances.append("the last pull \(how)")
    }
  }

  /// What became of the last pull, where that was not all; nil where it was, or is under way. A push after it changes
  /// nothing about that: the lock's words tell it on. Where they are gone, there is the record of a pull that changed
  /// something.
  private func undonePull() throws -> String? {
    let exitStatus =
      if let words = try tree.lastHolder()?.words {
        words.pullUndone?.exitStatus
      } else {
        try store.lastRun(RunKind.pull.rawValue)?.exitStatus
      }
    guard let exitStatus, exitStatus != 0 else { return nil }
    return switch ExitStatus(rawValue: exitStatus) {
    case .unreachable: "did not reach the server"
    case .refused: "was refused"
    case .interrupted: "was interrupted"
    default: "was done in part"
    }
  }

  private func history(_ records: [MailboxRecord]) throws -> AccountStatus.History {
    var history = AccountStatus.History(whole: true, known: 0, total: 0)
    for record in records
    where !record.isGone && !record.keepsNothing && MailboxCatalogue.isMirrored(record, folders) {
      let id = record.id
      let known = try store.messageCount(.known, in: id)
      // A state that only an earlier program has written has no such count.
      let announced = (try? store.announced(in: id)) ?? nil
      // Made by a push, and no pull saw it yet: a push brought all that is in it.
      let isOfPushes =
        record.backwardCursor == 0 && record.forwardCursor == 0 && !record.isDirty
        && announced == nil
      let isWhole = record.hasWholeHistory || isOfPushes
      history.known += known
      history.total += isWhole ? known : max(known, announced ?? 0)
      history.whole = history.whole && isWhole && !record.needsAdoption
    }
    // Until a pull has visited them all, nobody knows of the others.
    history.whole = try history.whole && store.account().wholePull != nil
    return history
  }
}
