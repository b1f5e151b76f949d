import Ledger
import MailCore
import State
import SyncPlan

/// Messages of one mailbox that could not be pulled: by earlier runs, and by this one.
final class MessageFailures {
  private let mailbox: PulledMailbox
  private var areOnRecord = false
  /// Over which an earlier run lost its connection.
  private(set) var cut = UIDSet()
  /// UIDs under which this run recorded failures.
  private var ofThisRun: Set<UInt32> = []
  private static let most = 10

  init(_ mailbox: PulledMailbox) { self.mailbox = mailbox }

  /// As the state has them.
  func recorded() throws -> UIDSet {
    let failed = try mailbox.state.failures().filter { $0.mailbox == mailbox.id && $0.uid != nil }
    if !failed.isEmpty { areOnRecord = true }
    func uids(_ failures: [FailureRecord]) -> UIDSet {
      UIDSet(failures.compactMap { $0.uid.map { UID($0) } })
    }
    cut = uids(failed.filter(\.isCut))
    return uids(failed)
  }

  /// Over each of these the connection was lost.
  func record(cut uids: UIDSet) throws {
    try record(
      [("the connection was lost each time it was asked for", uids)], areCut: true)
  }

  /// - Parameter failed: messages that did not come, by the reason why.
  func record(_ failed: [(reason: String, uids: UIDSet)], areCut: Bool = false) throws {
    var failures: [FailureRecord] = []
    for (reason, uids) in failed {
      // The first few by themselves; one record stands for all others. That there is one is enough for the next run to
      // ask for everything that is not here.
      for uid in uids.uids.prefix(Self.most) {
        failures.append(failure(of: uid, reason))
        mailbox.report(SyncError.messageNotDelivered(mailbox.name, uid, reason: reason), uid: uid)
      }
      let (rest, _) = uids.splitNewest(uids.count - min(uids.count, Self.most))
      guard let first = rest.first else { continue }
      var others = failure(of: first, reason)
      others.others = rest.count - 1
      failures.append(others)
      mailbox.report(
        SyncError.messagesNotDelivered(mailbox.name, first, rest.count, reason: reason), uid: first)
    }
    guard !failures.isEmpty else { return }
    for place in failures.indices { failures[place].isCut = areCut }
    try mailbox.state.record(failures)
    ofThisRun.formUnion(failures.compactMap(\.uid))
    mailbox.context.noteChange()
  }

  private func failure(of uid: UID, _ reason: String) -> FailureRecord {
    FailureRecord(
      mailbox: mailbox.id, uid: uid.rawValue, attempts: 1, lastAttempt: mailbox.context.started,
      reason: reason)
  }

  /// The message came.
  func clear(_ uid: UID, _ transaction: StateTransaction) throws {
    if areOnRecord { try transaction.clearFailure(mailbox: mailbox.id, uid: uid.rawValue) }
  }

  /// Every message that is not here was tried again: what did not fail in this run is here, gone, or not wanted any more.
  ///
  /// - Parameter untried: messages that are still to be tried.
  func forgetEarlier(besides untried: UIDSet = UIDSet()) throws {
    let kept = ofThisRun.union(untried.uids.map(\.rawValue))
    let isForgotten = try mailbox.state.failures().contains {
      $0.mailbox == mailbox.id && $0.uid.map(kept.contains) != true
    }
    guard isForgotten else { return }
    try mailbox.state.keepFailures(kept, of: mailbox.id)
    mailbox.context.noteChange()
  }
}
