import Testing

@testable import Sorting

/// What a person is asked before many messages change.
@Suite struct QuestionTests {
  @Test func `the question says what will happen`() throws {
    let lab = try SortingLab()
    try lab.deliver("INBOX/cur/1.host:2,S", "a")
    try lab.deliver("INBOX/cur/2.host:2,", "b")
    try lab.deliver("Trash/cur/3.host:2,", "c")
    var sorter = Sorter(lab.tree)
    let change = try MarkChange.split(["+seen", "+todo"]).change
    let marks = try sorter.mark(lab.files("folder:INBOX"), change)
    #expect(SortingStep.question(marks) == "Mark 2 messages +seen +todo?")
    let moves = try sorter.move(lab.files("folder:INBOX"), to: "Archive", creates: false)
    #expect(SortingStep.question(moves) == "Move 2 messages to personal/Archive?")
    let deletions = try sorter.delete(lab.files("hello"))
    #expect(
      SortingStep.question(deletions)
        == "Move 2 messages to personal/Trash, delete 1 message from personal/Trash for good?")
    var kept = deletions.filter { $0.action == .setAside }
    for index in kept.indices { kept[index].staysElsewhere = true }
    #expect(SortingStep.question(kept) == "Take 1 message out of personal/Trash?")
  }
}
