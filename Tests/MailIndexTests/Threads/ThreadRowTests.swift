import GRDB
import Testing

@testable import MailIndex

/// What a list of conversations shows is right after every change.
struct ThreadRowTests {
  private static let mails = [
    Mail("a", subject: "plan", from: "Ann <ann@x>", date: 100, unread: false),
    Mail("b", answers: ["a@x"], subject: "Re: plan", from: "Bob <bob@x>", date: 200),
    Mail("c", answers: ["b@x"], subject: "Re: plan", from: "Ann <ann@x>", date: 300),
  ]

  private func row(_ lab: ThreadLab, _ name: String = "a") throws -> String? {
    try lab.seen()[name]?.row
  }

  @Test func `a flag change is counted at once`() throws {
    let lab = try ThreadLab()
    try lab.deliver(Self.mails)
    #expect(try row(lab) == "1|300|3|2|plan|says c")
    try lab.change(read: ["c"])
    #expect(try row(lab) == "1|300|3|1|plan|says c")
    try lab.change(read: ["b", "c"])
    #expect(try row(lab) == "1|300|3|0|plan|says c")
  }

  @Test func `a flag change beside an arrival and a removal is counted too`() throws {
    let lab = try ThreadLab()
    try lab.deliver(Array(Self.mails.prefix(2)))
    try lab.change(add: [Self.mails[2]], read: ["b"])
    #expect(try row(lab) == "1|300|3|1|plan|says c")
    try lab.change(remove: ["c"], read: ["a"])
    #expect(try row(lab) == "1|200|2|0|plan|says b")
  }

  @Test func `the root's subject and the latest's snippet follow what is there`() throws {
    let lab = try ThreadLab()
    try lab.deliver(Self.mails.reversed())
    #expect(try row(lab) == "1|300|3|2|plan|says c")
    try lab.change(remove: ["a"])
    #expect(try row(lab, "b") == "1|300|2|2|plan|says c")
    try lab.change(remove: ["c"])
    #expect(try row(lab, "b") == "1|200|1|1|plan|says b")
    try lab.change(remove: ["b"])
    #expect(try lab.dump() == [])
  }

  @Test func `mail that is older than the latest leaves the snippet alone`() throws {
    let lab = try ThreadLab()
    try lab.deliver([
      Self.mails[0], Self.mails[2],
      Mail("d", answers: ["a@x"], subject: "Re: plan", from: "Dan <dan@x>", date: 150),
      Self.mails[1],
    ])
    #expect(try row(lab) == "1|300|4|3|plan|says c")
  }

  @Test func `of messages of one second the same is the latest in every order of arrival`() throws {
    let mails = (0..<4).map {
      Mail("m\($0)", answers: $0 == 0 ? [] : ["m0@x"], from: "P\($0) <p\($0)@x>", date: 600)
    }
    let built = try ThreadLab()
    try built.build(mails)
    let expected = try row(built, "m0")
    for order in ThreadTreeTests.orders {
      let lab = try ThreadLab()
      try lab.deliver(order.map { mails[$0] })
      #expect(try row(lab, "m0") == expected, "\(order)")
    }
  }

  @Test func `an older reply stays when its parent leaves in the same transaction`() throws {
    let lab = try ThreadLab()
    try lab.deliver([Self.mails[0]])
    try lab.change(add: [Mail("late", answers: ["a@x"], date: 50)], remove: ["a"])
    #expect(try lab.seen()["late"]?.thread == ["late"])
    try lab.checkNumbers()
  }

  @Test func `messages that were never added are no trouble`() throws {
    let lab = try ThreadLab()
    try lab.queue.write { db in
      var store = ThreadStore(db)
      try store.remove(42)
      try store.flagsChanged(42)
      try store.settle()
    }
    #expect(try lab.dump() == [])
  }

  @Test func `a message that leaves in the transaction it came in leaves nothing`() throws {
    let lab = try ThreadLab()
    try lab.deliver(Array(Self.mails.prefix(1)))
    let before = try lab.dump()
    try lab.change(add: Array(Self.mails.dropFirst()), remove: ["b", "c"])
    #expect(try lab.dump() == before)
  }

  @Test func `damaged facts cost one message its place and no more`() throws {
    let lab = try ThreadLab()
    try lab.deliver(Self.mails)
    try lab.queue.write {
      try $0.execute(
        sql: "UPDATE thread_node SET facts = x'00' WHERE message = ?",
        arguments: [lab.numbers["b"]])
    }
    try lab.rebuild()
    let seen = try lab.seen()
    #expect(seen["b"]?.thread == ["b"])
    #expect(seen["a"]?.thread == ["a"])
    #expect(seen["c"]?.thread == ["c"])
    try lab.checkNumbers()
  }
}
