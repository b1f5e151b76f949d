import Testing

@testable import MailIndex

/// Ids that only junk shares.
struct ThreadHubTests {
  private static func bankMail(_ number: Int) -> Mail {
    Mail(
      "bank\(number)", answers: ["bogus@x"], references: ["bogus@x"],
      subject: "Statement of house \(number)", from: "Bank \(number) <info@bank\(number)>",
      date: Int64(number))
  }

  private static let banks = (1...11).map(bankMail)

  @Test func `unrelated mails that share a bogus reference stay apart`() throws {
    #expect(try groups(of: Self.banks).count == 11)
  }

  @Test func `few mails are believed`() throws {
    let few = Array(Self.banks.prefix(9))
    #expect(try groups(of: few) == [few.map(\.name).sorted()])
  }

  @Test func `many topics from one sender are a conversation, and so is one topic from many`()
    throws
  {
    let tickets = Self.banks.map { mail in
      var mail = mail
      mail.sender = "desk@x"
      return mail
    }
    #expect(try groups(of: tickets).count == 1)
    let crowd = Self.banks.map { mail in
      var mail = mail
      mail.subject = "Re: one thing"
      return mail
    }
    #expect(try groups(of: crowd).count == 1)
  }

  @Test func `one Message-ID on everything joins nothing`() throws {
    let mails = (1...11).map {
      Mail("m\($0)", id: "1@localhost", subject: "thing \($0)", from: "s\($0)@x", date: Int64($0))
    }
    #expect(try groups(of: mails).count == 11)
  }

  @Test func `a Thread-Index of a template joins nothing`() throws {
    let mails = (1...11).map {
      Mail(
        "m\($0)", threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtw==", subject: "thing \($0)",
        from: "s\($0)@x", date: Int64($0))
    }
    #expect(try groups(of: mails).count == 11)
  }

  @Test func `what hangs below a hub by better ids stays together`() throws {
    let seen = try threads(
      of: Self.banks + [
        Mail("reply", answers: ["bank3@x"], references: ["bogus@x", "bank3@x"], date: 10)
      ])
    #expect(seen["reply"]?.thread == ["bank3", "reply"])
    #expect(seen["bank1"]?.thread == ["bank1"])
  }

  @Test func `a hub is one only as long as its junk is there`() throws {
    let lab = try ThreadLab()
    try lab.deliver(Array(Self.banks.prefix(9)))
    let nine = try lab.seen()
    #expect(nine["bank1"]?.thread.count == 9)
    try lab.change(add: [Self.banks[9]])
    #expect(try lab.seen().values.allSatisfy { $0.thread.count == 1 })
    try lab.change(add: [Self.banks[10]])
    #expect(try lab.seen().values.allSatisfy { $0.thread.count == 1 })
    try lab.change(remove: ["bank11", "bank10"])
    #expect(try lab.seen() == nine)
    try lab.checkNumbers()
  }

  @Test func `evidence without topic or sender proves nothing`() {
    var rule = HubRule()
    for _ in 0..<100 { rule.see(topic: 0, sender: 0) }
    for mark in 1...20 { rule.see(topic: UInt32(mark), sender: 0) }
    for mark in 1...9 { rule.see(topic: 0, sender: UInt32(mark)) }
    #expect(!rule.isHub)
    rule.see(topic: 0, sender: 10)
    #expect(rule.isHub)
  }
}
