import Ledger
import LedgerTestKit
import MailCore
import Maildir
import Testing

@testable import SyncPlan

/// What a push may leave for a later one.
struct LeavingTests {
  private let drafts: MailboxKey = 1
  private let other: MailboxKey = 2

  private func deletion(_ mailbox: MailboxKey) -> PushPlan.PlannedDeletion {
    PushPlan.PlannedDeletion(
      mailbox: mailbox,
      record: MessageRecord(uid: UID(1), name: [65], agreed: MessageMarks()), way: .trash)
  }

  private var plan: PushPlan {
    var plan = PushPlan()
    plan.deletions = [deletion(drafts), deletion(other)]
    plan.holds = [DeletionHold(mailbox: other, cause: .half, count: 30, total: 40, uids: nil)]
    return plan
  }

  @Test func `an old draft stays as long as the new one waits`() {
    var plan = plan
    plan.leave([.drafts], drafts: [drafts], holdsBefore: [])
    #expect(plan.deletions == [deletion(other)])
    #expect(plan.holds.count == 1)
  }

  @Test func `deletions that are not judged make no hold, and those of drafts go with the drafts`()
  {
    var plan = plan
    plan.leave([.deletions], drafts: [drafts], holdsBefore: [])
    #expect(plan.deletions == [deletion(drafts)] && plan.held.isEmpty)
    #expect(plan.holds == [])
    plan.leave([.deletions, .drafts], drafts: [drafts], holdsBefore: [])
    #expect(plan.deletions == [])
  }

  @Test func `a hold lasts until its files are back, whatever else is left`() {
    let back = DeletionHold(mailbox: drafts, cause: .many, count: 300, total: 300, uids: nil)
    var inPart = DeletionHold(
      mailbox: other, cause: .half, count: 30, total: 40, uids: UIDSet(1...30))
    var plan = plan
    plan.holds[0].uids = UIDSet(20...35)
    plan.leave([.deletions], drafts: [drafts], holdsBefore: [back, inPart])
    inPart.uids = UIDSet(20...30)
    #expect(plan.holds == [inPart])
  }

  @Test func `nothing is left where nothing is said`() {
    var plan = plan
    plan.leave([], drafts: [drafts], holdsBefore: [])
    #expect(plan.deletions.count == 2 && plan.holds.count == 1)
  }
}
