import MailCore
import Maildir
import State
import Testing

@testable import Sync

/// Promise 4's guards, and what a change in marks comes to.
struct PushPlannerTests {
  private func gone(_ count: Int, in mailbox: Int64 = 1) -> [MissingMessage] {
    (0..<count).map {
      MissingMessage(
        mailbox: mailbox,
        record: MessageRecord(uid: UID(UInt32($0 + 1)), name: [65], agreed: MessageMarks()))
    }
  }

  private func judged(_ gone: [MissingMessage], _ expected: [Int64: Int], allows: Bool = false)
    -> (Int, [PushPlan.HeldDeletions])
  {
    var held: [PushPlan.HeldDeletions] = []
    let allowed = DeletionGuard(expected: expected, goneFolders: [], allowsMassDelete: allows)
      .judge(gone, &held)
    return (allowed.count, held)
  }

  @Test(arguments: [
    (20, 20, 20), (21, 42, 0), (21, 43, 21), (21, 21, 0), (200, 1000, 200), (201, 1000, 0),
  ])
  func `more than 20 and half of a folder, or more than 200, wait`(
    count: Int, of all: Int, allowed: Int
  ) {
    #expect(judged(gone(count), [1: all]).0 == allowed)
    #expect(judged(gone(count), [1: all], allows: true).0 == count)
  }

  @Test func `one folder waits, the other goes on`() {
    let (allowed, held) = judged(gone(30) + gone(3, in: 2), [1: 30, 2: 100])
    #expect(allowed == 3)
    #expect(held == [.init(mailbox: 1, count: 30, reason: .halfOfFolder(expected: 30))])
  }

  @Test func `only what a person touched is named`() {
    let agreed = MessageMarks(flags: [.seen, .flagged], keywords: ["a", "b"])
    let local = MessageMarks(flags: [.seen, .answered], keywords: ["B", "c"])
    let delta = MarkDelta(agreed: agreed, local: local)
    #expect(delta.added == MessageMarks(flags: .answered, keywords: ["c"]))
    #expect(delta.removed == MessageMarks(flags: .flagged, keywords: ["a"]))
    #expect(delta.applied(to: agreed) == local)
    let kept = delta.without(["c", "\\flagged"])
    #expect(kept.added == MessageMarks(flags: .answered))
    #expect(kept.removed == MessageMarks(keywords: ["a"]))
  }

  @Test func `a change that the mailbox cannot keep is not sent`() {
    var mailbox = MailboxRecord(name: "INBOX", rawName: [], delimiter: "/", folder: "INBOX")
    mailbox.id = 1
    var changes = LocalChanges()
    let record = MessageRecord(uid: UID(1), name: [65], agreed: MessageMarks())
    changes.marks = [
      ChangedMarks(mailbox: 1, record: record, local: MessageMarks(keywords: ["x"]))
    ]
    #expect(PushPlanner(mailboxes: [mailbox]).plan(changes).marks.count == 1)
    #expect(PushPlanner(mailboxes: [mailbox], unkeepable: [1: ["x"]]).plan(changes).isQuiet)
  }

  @Test func `a mailbox that takes no changes waits`() {
    var changes = LocalChanges()
    changes.gone = gone(2)
    let plan = PushPlanner(mailboxes: [], closed: [1]).plan(changes)
    #expect(plan.isQuiet)
    #expect(plan.waiting == [.init(mailbox: 1, count: 2, reason: .readOnly)])
  }

  @Test func `one kind of change that a mailbox denies leaves the others`() {
    var changes = LocalChanges()
    changes.gone = gone(2)
    let record = MessageRecord(uid: UID(9), name: [65], agreed: MessageMarks())
    changes.marks = [ChangedMarks(mailbox: 1, record: record, local: MessageMarks(flags: .seen))]
    var planner = PushPlanner(mailboxes: [])
    planner.denied = [1: ["deletions"]]
    let plan = planner.plan(changes)
    #expect(plan.deletions.isEmpty && plan.marks.count == 1)
    #expect(plan.waiting == [.init(mailbox: 1, count: 2, reason: .readOnly)])
  }

  @Test func `what is lost or under way is left alone`() {
    var changes = LocalChanges()
    changes.gone = gone(3)
    var planner = PushPlanner(mailboxes: [])
    planner.lost = [MessageKey(mailbox: 1, uid: UID(1))]
    planner.busy = [MessageKey(mailbox: 1, uid: UID(2))]
    let plan = planner.plan(changes)
    #expect(plan.deletions.map(\.record.uid) == [UID(3)])
    #expect(plan.waiting.map(\.reason) == [.pullFirst, .underWay])
  }

  @Test func `a change merged with another client's names only what is left`() {
    let delta = MarkDelta(
      agreed: MessageMarks(flags: .draft, keywords: ["old"]),
      local: MessageMarks(flags: [.seen, .flagged], keywords: ["new"]))
    let left = delta.stillToDo(over: MessageMarks(flags: [.seen], keywords: ["NEW", "theirs"]))
    #expect(left.added == MessageMarks(flags: .flagged) && left.removed == MessageMarks())
    #expect(
      delta.inverse.applied(to: delta.applied(to: MessageMarks(flags: .draft)))
        .flags == .draft)
  }
}
