import Ledger
import LedgerTestKit
import MailCore
import Maildir
import Testing

@testable import SyncPlan

/// Promise 4's guards, and what a change in marks comes to.
struct PushPlannerTests {
  private func gone(_ count: Int, in mailbox: MailboxKey = 1) -> [MissingMessage] {
    (0..<count).map {
      MissingMessage(
        mailbox: mailbox,
        record: MessageRecord(uid: UID(UInt32($0 + 1)), name: [65], agreed: MessageMarks()))
    }
  }

  private func judged(_ gone: [MissingMessage], _ expected: [MailboxKey: Int], allows: Bool = false)
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

  private func push(
    _ uids: ClosedRange<UInt32>, next: UInt32, of size: Int, in mailbox: MailboxKey = 1
  ) -> CarriedDeletions {
    CarriedDeletions(
      mailbox: mailbox, time: 0, uidValidity: 7, uidNext: next, size: size, uids: UIDSet(uids))
  }

  private func gone(_ uids: ClosedRange<UInt32>, in mailbox: MailboxKey = 1) -> [MissingMessage] {
    uids.map {
      MissingMessage(
        mailbox: mailbox, record: MessageRecord(uid: UID($0), name: [65], agreed: MessageMarks()))
    }
  }

  private func judged(
    _ gone: [MissingMessage], _ expected: [MailboxKey: Int], behind carried: [CarriedDeletions],
    finals: Set<MailboxKey> = [], holds: [DeletionHold] = []
  ) -> (Int, [PushPlan.HeldDeletions.Reason]) {
    var held: [PushPlan.HeldDeletions] = []
    let allowed = DeletionGuard(
      expected: expected, goneFolders: [], allowsMassDelete: false, holds: holds, carried: carried,
      finals: finals
    ).judge(gone, &held)
    return (allowed.count, held.map(\.reason))
  }

  @Test func `what pushes of the day deleted bit by bit counts as if it were one`() {
    var carried: [CarriedDeletions] = []
    for number in UInt32(0)..<10 {
      let uids = (number * 40 + 1)...(number * 40 + 40)
      let size = 400 - Int(number) * 40
      let (allowed, held) = judged(gone(uids), [1: size], behind: carried)
      if number < 4 {
        #expect(allowed == 40)
        carried.append(push(uids, next: 1000, of: size))
      } else {
        #expect(allowed == 0)
        #expect(held == [.halfInDay(count: 200, expected: 400)])
        break
      }
    }
    #expect(carried.count == 4)
  }

  @Test func `a folder that was filled within the day counts from then on`() {
    let carried = [push(1...2, next: 10, of: 9), push(10...49, next: 110, of: 107)]
    #expect(judged(gone(50...62), [1: 67], behind: carried).0 == 13)
    #expect(
      judged(gone(50...63), [1: 67], behind: carried).1 == [.halfInDay(count: 54, expected: 107)])
  }

  @Test func `mail that comes and goes within the day does not count`() {
    let carried = (UInt32(0)..<20).map { number in
      push((100 + number * 6)...(105 + number * 6), next: 100 + number * 6, of: 8)
    }
    #expect(judged(gone(220...225), [1: 8], behind: carried).0 == 6)
  }

  @Test func `more than 200 in a day wait, of those that go for good and of the others`() {
    let carried = [push(1...150, next: 1000, of: 900), push(1...190, next: 1000, of: 900, in: 2)]
    let expected: [MailboxKey: Int] = [1: 750, 2: 710, 3: 900]
    #expect(judged(gone(1...50, in: 3), expected, behind: carried, finals: [2]).0 == 50)
    #expect(
      judged(gone(1...51, in: 3), expected, behind: carried, finals: [2]).1
        == [.tooManyInDay(total: 201)])
    #expect(
      judged(gone(1...11, in: 3), expected, behind: carried, finals: [2, 3]).1
        == [.tooManyInDay(total: 201)])
  }

  @Test func `what waits for another reason does not count as deleted`() {
    let hold = DeletionHold(
      mailbox: 1, cause: .half, count: 60, total: 100, uids: UIDSet(1...60))
    let carried = [push(61...70, next: 1000, of: 130)]
    let (allowed, held) = judged(
      gone(1...60) + gone(71...72), [1: 132], behind: carried, holds: [hold])
    #expect(allowed == 2 && held == [.earlier(hold)])
  }

  @Test func `one folder waits, the other goes on`() {
    let (allowed, held) = judged(gone(30) + gone(3, in: 2), [1: 30, 2: 100])
    #expect(allowed == 3)
    #expect(held == [.init(gone(30), in: 1, .halfOfFolder(expected: 30))])
  }

  @Test(arguments: [(10, 10, true), (10, 11, false)])
  func `a tree of which nothing is left waits, if it was more than a few`(
    count: Int, and others: Int, isAllowed: Bool
  ) {
    let messages = gone(count) + gone(others, in: 2)
    var held: [PushPlan.HeldDeletions] = []
    let emptied = DeletionGuard(
      expected: [1: count, 2: others], goneFolders: [], isEmptied: true, allowsMassDelete: false)
    #expect(emptied.judge(messages, &held).count == (isAllowed ? count + others : 0))
    #expect(held.map(\.mailbox) == (isAllowed ? [] : [1, 2]))
    let word = DeletionGuard(
      expected: [1: count, 2: others], goneFolders: [], isEmptied: true, allowsMassDelete: true)
    #expect(word.judge(messages, &held).count == count + others)
  }

  // MARK: What earlier runs held back

  private func hold(
    _ uids: ClosedRange<UInt32>?, _ cause: DeletionHold.Cause = .half, _ count: Int = 60,
    of total: Int = 100
  ) -> DeletionHold {
    DeletionHold(
      mailbox: 1, cause: cause, count: count, total: total, uids: uids.map { UIDSet($0) })
  }

  /// What is held, and what may go, where `count` messages are gone.
  private func judged(_ count: Int, of all: Int, _ hold: DeletionHold)
    -> ([PushPlan.HeldDeletions], Int)
  {
    var held: [PushPlan.HeldDeletions] = []
    let allowed = DeletionGuard(
      expected: [1: all], goneFolders: [], allowsMassDelete: false, holds: [hold]
    ).judge(gone(count), &held)
    return (held, allowed.count)
  }

  @Test func `what was held back waits, however harmless it looks by now`() {
    let hold = hold(1...60)
    #expect(judged(60, of: 121, hold) == ([.init(gone(60), in: 1, .earlier(hold))], 0))
    // One more counts together with those that wait.
    #expect(
      judged(61, of: 122, hold) == ([.init(gone(61), in: 1, .halfOfFolder(expected: 122))], 0))
    #expect(judged(61, of: 900, hold) == ([.init(gone(60), in: 1, .earlier(hold))], 1))
    #expect(judged(15, of: 900, self.hold(nil)).1 == 0)
    var held: [PushPlan.HeldDeletions] = []
    let word = DeletionGuard(
      expected: [1: 900], goneFolders: [], allowsMassDelete: true, holds: [hold])
    #expect(word.judge(gone(60), &held).count == 60 && held.isEmpty)
  }

  @Test func `those that were too many in a run count among those of the next`() {
    let hold = hold(1...201, .many, 201, of: 201)
    #expect(
      judged(203, of: 1000, hold) == ([.init(gone(203), in: 1, .tooMany(total: 203))], 0))
    // Some came back: the rest waits for a word all the same, and what is new does not.
    let fewer = self.hold(1...150, .many, 201, of: 201)
    #expect(judged(152, of: 1000, fewer) == ([.init(gone(150), in: 1, .earlier(fewer))], 2))
  }

  /// What is remembered once the tree was looked at.
  private func remembered(
    _ count: Int, of all: Int, after holds: [DeletionHold], looked: Bool = true,
    change: (inout PushSituation) -> Void = { _ in }
  ) -> [DeletionHold] {
    var changes = TreeChanges()
    changes.gone = gone(count)
    changes.expected = [1: all]
    if looked { changes.looked = [1] }
    var situation = PushSituation(mailboxes: [])
    situation.holds = holds
    change(&situation)
    return PushPlanner(situation).plan(changes).holds
  }

  @Test func `what is held back is remembered until its files are back`() {
    let first = remembered(60, of: 100, after: [])
    #expect(first == [hold(1...60)])
    #expect(remembered(60, of: 121, after: first) == first)
    #expect(remembered(40, of: 300, after: first) == [hold(1...40)])
    #expect(remembered(40, of: 300, after: [hold(nil)]) == [hold(1...40)])
    #expect(remembered(0, of: 300, after: first) == [])
    #expect(remembered(0, of: 300, after: first, looked: false) == first)
    #expect(remembered(3, of: 300, after: []) == [])
  }

  @Test func `a word, a mailbox that takes no changes, or a step under way makes forget nothing`() {
    let first = [hold(1...60)]
    #expect(remembered(60, of: 121, after: first) { $0.allowsMassDelete = true } == first)
    #expect(remembered(60, of: 121, after: first) { $0.closed = [1] } == first)
    #expect(remembered(60, of: 100, after: []) { $0.closed = [1] } == first)
    #expect(
      remembered(60, of: 121, after: first) { $0.busy = [MessageKey(mailbox: 1, uid: UID(7))] }
        == first)
  }

  @Test func `a mailbox that a pull left half way forgets nothing`() {
    var mailbox = MailboxRecord(
      id: 1, name: "INBOX", rawName: [], delimiter: "/", folder: "INBOX")
    mailbox.isDirty = true
    for first in [[hold(1...60)], [hold(nil)]] {
      #expect(remembered(10, of: 121, after: first) { $0.mailboxes = [mailbox] } == first)
    }
  }

  @Test func `only what a person touched is named`() {
    let agreed = MessageMarks(flags: [.seen, .flagged], keywords: ["a", "b"])
    let local = MessageMarks(flags: [.seen, .answered], keywords: ["B", "c"])
    let delta = MarkDelta(agreed: agreed, local: local)
    #expect(delta.added == MessageMarks(flags: .answered, keywords: ["c"]))
    #expect(delta.removed == MessageMarks(flags: .flagged, keywords: ["a"]))
    #expect(delta.applied(to: agreed) == local)
    let kept = delta.without(UnkeepableMarks(flags: .flagged, keywords: ["c"]))
    #expect(kept.added == MessageMarks(flags: .answered))
    #expect(kept.removed == MessageMarks(keywords: ["a"]))
  }

  @Test func `a change that the mailbox cannot keep is not sent`() {
    let mailbox = MailboxRecord(
      id: 1, name: "INBOX", rawName: [], delimiter: "/", folder: "INBOX")
    var changes = TreeChanges()
    let record = MessageRecord(uid: UID(1), name: [65], agreed: MessageMarks())
    changes.marks = [
      ChangedMarks(mailbox: 1, record: record, local: MessageMarks(keywords: ["x"]))
    ]
    #expect(PushPlanner(PushSituation(mailboxes: [mailbox])).plan(changes).marks.count == 1)
    let unkeepable = [MailboxKey(1): UnkeepableMarks(keywords: ["x"])]
    #expect(
      PushPlanner(PushSituation(mailboxes: [mailbox], unkeepable: unkeepable)).plan(changes).isQuiet
    )
  }

  @Test func `a keyword that is spelled like a flag is not that flag`() throws {
    let both = MarkDelta(
      agreed: MessageMarks(), local: MessageMarks(flags: .seen, keywords: ["\\Seen"]))
    let keyword = UnkeepableMarks(keywords: ["\\seen"])
    #expect(both.without(keyword).added == MessageMarks(flags: .seen))
    #expect(both.without(UnkeepableMarks(flags: .seen)).added == MessageMarks(keywords: ["\\Seen"]))
    #expect(keyword.named(in: both) == keyword)
    // What an earlier program noted of a flag by this name is found out anew.
    #expect(UnkeepableMarks(refusal: .keyword("\\seen")) == keyword)
    for marks in [keyword, UnkeepableMarks(flags: .seen), UnkeepableMarks(flags: .forwarded)] {
      let subject = try #require(marks.refusals.first?.subject)
      #expect(UnkeepableMarks(refusal: subject) == marks)
    }
    #expect(UnkeepableMarks(refusal: .mailbox) == nil)
  }

  private func doubled() -> (TreeChanges, MovedMessage) {
    let digest = MessageDigest(serverSize: 1, headerHash: 5, contentHash: 6, asCame: false)
    func file(_ name: String, in mailbox: MailboxKey) -> UnknownFile {
      UnknownFile(
        mailbox: mailbox, folder: FolderPath(components: ["f"])!,
        file: MessageFile(subdirectory: .cur, name: Array(name.utf8)), digest: digest,
        marks: MessageMarks(), modified: 1, size: 1)
    }
    var record = MessageRecord(uid: UID(1), name: Array("a".utf8), agreed: MessageMarks())
    record.contentHash = 6
    var changes = TreeChanges()
    let move = MovedMessage(from: 1, record: record, file: file("a:2,", in: 2))
    changes.moved = [move]
    changes.new = [file("b:2,", in: 1)]
    return (changes, move)
  }

  @Test func `what repeats a message that is moved away is sent when that one is gone, not before`()
  {
    let (changes, move) = doubled()
    let plan = PushPlanner(PushSituation(mailboxes: [])).plan(changes)
    #expect(plan.moves.map(\.record.uid) == [move.record.uid])
    #expect(plan.uploads.map(\.followsMove) == [true])
    var situation = PushSituation(mailboxes: [])
    situation.busy = [MessageKey(mailbox: 1, uid: UID(1))]
    #expect(PushPlanner(situation).plan(changes).isQuiet, "the move waits")
  }

  @Test func `a mailbox that takes no changes waits`() {
    var changes = TreeChanges()
    changes.gone = gone(2)
    let plan = PushPlanner(PushSituation(mailboxes: [], closed: [1])).plan(changes)
    #expect(plan.isQuiet)
    #expect(plan.waiting == [.init(mailbox: 1, count: 2, reason: .readOnly)])
  }

  @Test func `one kind of change that a mailbox denies leaves the others`() {
    var changes = TreeChanges()
    changes.gone = gone(2)
    let record = MessageRecord(uid: UID(9), name: [65], agreed: MessageMarks())
    changes.marks = [ChangedMarks(mailbox: 1, record: record, local: MessageMarks(flags: .seen))]
    var situation = PushSituation(mailboxes: [])
    situation.denied = [1: [.deletions]]
    let plan = PushPlanner(situation).plan(changes)
    #expect(plan.deletions.isEmpty && plan.marks.count == 1)
    #expect(plan.waiting == [.init(mailbox: 1, count: 2, reason: .readOnly)])
  }

  @Test func `of a folder whose new name is refused no other mailbox is made`() throws {
    let mailbox = MailboxRecord(
      id: 1, name: "Work", rawName: [], delimiter: "/", folder: "Work")
    let folder = try #require(FolderPath(text: "Job"))
    var changes = TreeChanges()
    changes.newFolders = [folder, try #require(FolderPath(text: "Job/sub"))]
    changes.renamedFolders = [.init(mailbox: 1, folder: folder)]
    var situation = PushSituation(mailboxes: [mailbox]) { $0.text }
    #expect(PushPlanner(situation).plan(changes).renames.map(\.name) == ["Job"])
    situation.denied = [1: [.rename("Job")]]
    #expect(PushPlanner(situation).plan(changes).isQuiet)
    situation.denied = [1: [.rename("Jobs")]]
    #expect(PushPlanner(situation).plan(changes).renames.map(\.name) == ["Job"])
  }

  @Test func `parents are renamed first, in both layouts`() throws {
    var changes = TreeChanges()
    var mailboxes: [MailboxRecord] = []
    for (id, name) in [(1, "Work/sub"), (2, "Work")] as [(MailboxKey, String)] {
      let record = MailboxRecord(
        id: id, name: name, rawName: [], delimiter: "/", folder: "\(name)")
      mailboxes.append(record)
      let folder = try #require(FolderPath(text: id == 1 ? ".Job.sub" : ".Job"))
      changes.renamedFolders.append(.init(mailbox: id, folder: folder))
    }
    let situation = PushSituation(mailboxes: mailboxes) { path in
      path.text == ".Job" ? "Job" : "Job/sub"
    }
    #expect(PushPlanner(situation).plan(changes).renames.map(\.mailbox) == [2, 1])
  }

  @Test func `what is lost or under way is left alone`() {
    var changes = TreeChanges()
    changes.gone = gone(3)
    var situation = PushSituation(mailboxes: [])
    situation.lost = [MessageKey(mailbox: 1, uid: UID(1))]
    situation.busy = [MessageKey(mailbox: 1, uid: UID(2))]
    let plan = PushPlanner(situation).plan(changes)
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
