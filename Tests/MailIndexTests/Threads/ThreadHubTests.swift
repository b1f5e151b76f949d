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

  private static let banks = (1...6).map(bankMail)

  @Test func `unrelated mails that share a bogus reference stay apart`() throws {
    #expect(try groups(of: Self.banks).count == 6)
  }

  @Test func `few mails are believed`() throws {
    #expect(try groups(of: Array(Self.banks.prefix(4))) == [["bank1", "bank2", "bank3", "bank4"]])
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
    let mails = (1...6).map {
      Mail("m\($0)", id: "1@localhost", subject: "thing \($0)", from: "s\($0)@x", date: Int64($0))
    }
    #expect(try groups(of: mails).count == 6)
  }

  @Test func `what answers a message that is there may change its subject`() throws {
    func answers(_ count: Int) -> [Mail] {
      [Mail("root", id: "root@x", subject: "The plan", from: "root@x", date: 0)]
        + (1...count).map {
          Mail(
            "m\($0)", answers: ["root@x"], references: ["root@x"], subject: "thing \($0)",
            from: "s\($0)@x", date: Int64($0))
        }
    }
    #expect(try groups(of: answers(8)).count == 1)
    #expect(try groups(of: answers(12)).count == 13, "a digest's answers are of many things")
    #expect(try groups(of: Array(answers(8).dropFirst())).count == 8)
  }

  @Test func `a Thread-Index of a template joins nothing`() throws {
    let mails = (1...6).map {
      Mail(
        "m\($0)", threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtw==", subject: "thing \($0)",
        from: "s\($0)@x", date: Int64($0))
    }
    #expect(try groups(of: mails).count == 6)
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
    try lab.deliver(Array(Self.banks.prefix(4)))
    let four = try lab.seen()
    #expect(four["bank1"]?.thread.count == 4)
    try lab.change(add: [Self.banks[4]])
    #expect(try lab.seen().values.allSatisfy { $0.thread.count == 1 })
    try lab.change(add: [Self.banks[5]])
    #expect(try lab.seen().values.allSatisfy { $0.thread.count == 1 })
    try lab.change(remove: ["bank6", "bank5"])
    #expect(try lab.seen() == four)
    try lab.checkNumbers()
  }

  @Test func `evidence without topic or sender proves nothing`() {
    var rule = HubRule()
    for _ in 0..<100 { rule.see(topic: 0, sender: 0, isOwn: false) }
    for mark in 1...20 { rule.see(topic: UInt32(mark), sender: 0, isOwn: false) }
    for mark in 1...4 { rule.see(topic: 0, sender: UInt32(mark), isOwn: false) }
    #expect(!rule.isHub)
    rule.see(topic: 0, sender: 5, isOwn: false)
    #expect(rule.isHub)
  }
}
