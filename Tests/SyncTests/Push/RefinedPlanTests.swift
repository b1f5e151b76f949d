import Ledger
import MailCore
import Maildir
import State
import SyncPlan
import Testing

@testable import LocalChanges
@testable import Sync

/// What the state knows of other folders changes a plan: Gmail's labels, and copies.
struct RefinedPlanTests {
  @Test func `gone from one of two folders is a label less`() throws {
    let tree = try PushTree()
    let inbox = try tree.add("INBOX")
    try tree.add("Work")
    let trash = try tree.add("Trash", use: "trash")
    let uid = try tree.pull("one", into: "INBOX")
    let other = try tree.pull("one", into: "Work")
    for (name, uid) in [("INBOX", uid), ("Work", other)] {
      let id = try #require(tree.mailboxes.first { $0.name == name }?.id)
      var record = try #require(try tree.state.message(in: id, uid))
      record.identity = "gm:1"
      try tree.state.transaction { try $0.put(record, in: id) }
    }
    let record = try #require(try tree.state.message(in: inbox, uid))
    var plan = PushPlan()
    plan.deletions = [PushPlan.PlannedDeletion(mailbox: inbox, record: record, way: .trash)]
    #expect(
      try LabelPlan(plan, tree.mailboxes).refined(plan, tree.state).deletions.map(\.way)
        == [.unlabel])
    let work = try #require(tree.mailboxes.first { $0.name == "Work" }?.id)
    let twin = try #require(try tree.state.message(in: work, other))
    plan.deletions.append(PushPlan.PlannedDeletion(mailbox: work, record: twin, way: .expunge))
    #expect(
      try LabelPlan(plan, tree.mailboxes).refined(plan, tree.state).deletions.map(\.way)
        == [.trash, .expunge])
    // A copy that is moved to Trash keeps nothing.
    plan.deletions.removeLast()
    let digest = try tree.open("Work").digest(of: tree.files("Work")[0], policy: tree.policy)
    let file = UnknownFile(
      mailbox: trash, folder: try tree.open("Trash").path, file: try tree.files("Work")[0],
      digest: digest, marks: MessageMarks(), modified: 0, size: 1)
    plan.moves = [PushPlan.PlannedMove(from: work, to: trash, record: twin, file: file)]
    #expect(
      try LabelPlan(plan, tree.mailboxes).refined(plan, tree.state).deletions.map(\.way)
        == [.trash])
  }

  @Test func `a copy has its message in another folder`() throws {
    let tree = try PushTree()
    let inbox = try tree.add("INBOX")
    try tree.add("Work")
    let uid = try tree.pull("one", into: "INBOX")
    try tree.write(tree.message("one"), to: tree.path("Work") + "/cur/17.1.host:2,S")
    try tree.write(tree.message("two"), to: tree.path("Work") + "/cur/17.2.host:2,S")
    let stubs = StubComparison(tree: tree.tree, policy: tree.policy)
    let plan = try CopyPlan(state: tree.state, mailboxes: tree.mailboxes, stubs: stubs)
      .refined(tree.plan())
    #expect(
      plan.uploads.map(\.source).filter { $0 != nil } == [MessageKey(mailbox: inbox, uid: uid)])
    #expect(plan.uploads.count == 2)
    #expect(
      plan.actions(tree.mailboxes).contains(PushAction(.copy, mailbox: "INBOX", detail: "Work")))
  }
}
