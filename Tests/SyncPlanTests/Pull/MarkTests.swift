import MailCore
import Testing

@testable import SyncPlan

struct MarkTests {
  @Test func `a found file loses no mark of either side`() {
    let plan = MarkPlan.adopting(
      local: MessageMarks(flags: .flagged, keywords: ["mine"]),
      remote: MessageMarks(flags: .seen, keywords: ["theirs"]))
    #expect(plan.local == MessageMarks(flags: [.flagged, .seen], keywords: ["mine", "theirs"]))
    #expect(plan.agreed == MessageMarks(flags: .seen, keywords: ["theirs"]))
  }

  @Test(arguments: [MessageFlags(), .deleted], [MessageFlags(), .deleted])
  func `of the deletion mark a found file takes the server's word, and pushes none`(
    local: MessageFlags, remote: MessageFlags
  ) {
    let plan = MarkPlan.adopting(
      local: MessageMarks(flags: local), remote: MessageMarks(flags: remote))
    #expect(plan.local == (local == remote ? nil : MessageMarks(flags: remote)))
    #expect(plan.agreed == MessageMarks(flags: remote))
  }

  @Test func `agreement touches no file`() {
    let marks = MessageMarks(flags: .seen, keywords: ["a"])
    #expect(MarkPlan.plan(agreed: MessageMarks(), local: marks, remote: marks).local == nil)
  }

  @Test func `the table sorts, and the later answer counts`() {
    var table = MarkTable()
    table.append(UID(9), MessageMarks(flags: .seen))
    table.append(UID(2), MessageMarks(keywords: ["a"]))
    table.append(UID(9), MessageMarks(flags: .flagged))
    table.sort()
    #expect(table.count == 2)
    #expect(table[0].uid == UID(2) && table[0].marks.keywords == ["a"])
    #expect(table[1].marks.flags == .flagged)
  }
}
