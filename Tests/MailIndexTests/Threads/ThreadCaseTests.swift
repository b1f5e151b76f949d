import Testing

@testable import MailIndex

/// The cases that threaders in use get wrong, each one built at once, delivered in both directions
/// and in batches.
struct ThreadCaseTests {
  @Test func `In-Reply-To alone makes one chain`() throws {
    let seen = try threads(of: [
      Mail("a", date: 1), Mail("b", answers: ["a@x"], date: 2),
      Mail("c", answers: ["b@x"], date: 3), Mail("d", answers: ["c@x"], date: 4),
    ])
    #expect(seen["d"]?.thread == ["a", "b", "c", "d"])
    #expect(["a", "b", "c", "d"].map { seen[$0]?.parent } == [nil, "a", "b", "c"])
    #expect(seen["d"]?.source == .inReplyTo)
  }

  @Test func `references cut to the nearest ancestors make one chain`() throws {
    let seen = try threads(of: [
      Mail("a", date: 1), Mail("b", references: ["a@x"], date: 2),
      Mail("c", references: ["b@x"], date: 3), Mail("d", references: ["c@x"], date: 4),
    ])
    #expect(seen["a"]?.thread == ["a", "b", "c", "d"])
    #expect(seen["d"]?.parent == "c")
    #expect(seen["d"]?.source == .reference)
  }

  @Test func `Outlook's Thread-Index alone makes one tree`() throws {
    let seen = try threads(of: [
      Mail("root", threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtw==", date: 1),
      Mail("reply", threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtwAAAo8g", date: 2),
      Mail("again", threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtwAAAo8gqFQACz", date: 3),
      Mail("other", threadIndex: "AcZJXMEg7BHm/IX0SSuMswWV9Kglbg==", date: 4),
    ])
    #expect(seen["root"]?.thread == ["again", "reply", "root"])
    #expect(seen["other"]?.thread == ["other"])
    #expect(seen["again"]?.parent == "reply")
    #expect(seen["again"]?.source == .threadIndex)
    #expect(seen["reply"]?.parent == "root")
    #expect(seen["root"]?.parent == nil)
  }

  @Test func `a reply by Thread-Index hangs below the root where its parent is missing`() throws {
    let seen = try threads(of: [
      Mail("root", threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtw==", date: 1),
      Mail("again", threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtwAAAo8gqFQACz", date: 3),
    ])
    #expect(seen["again"]?.parent == "root")
  }

  @Test func `Thread-Index joins nothing where all have headers`() throws {
    let index = "Acnk7AtURXtWl9jTRdGX7mDGIxfHtw=="
    let mails = [
      Mail("a", answers: ["p@x"], threadIndex: index, date: 1),
      Mail("b", answers: ["q@x"], threadIndex: index, date: 2),
    ]
    #expect(try groups(of: mails) == [["a"], ["b"]])
    // One that has none brings them together.
    let all = mails + [Mail("c", threadIndex: index, date: 3)]
    #expect(try groups(of: all) == [["a", "b", "c"]])
  }

  @Test func `a reply without headers joins by its subject`() throws {
    let seen = try threads(of: [
      Mail("a", subject: "garden party", date: 0),
      Mail("b", subject: "Re: garden party", date: 86_400),
      Mail("c", subject: "Re: Re: Garden  Party", date: 2 * 86_400),
    ])
    #expect(seen["c"]?.thread == ["a", "b", "c"])
    #expect(seen["b"]?.parent == "a")
    #expect(seen["c"]?.parent == "b")
    #expect(seen["c"]?.source == .subject)
  }

  @Test func `subjects join replies only, within thirty days, and in one account`() throws {
    let day: Int64 = 86_400
    let subject = "garden party"
    func pair(_ second: Mail) throws -> [[String]] {
      try groups(of: [Mail("a", subject: subject, date: 0), second])
    }
    #expect(try pair(Mail("b", subject: subject, date: day)) == [["a"], ["b"]])
    #expect(try pair(Mail("b", subject: "Re: " + subject, date: 30 * day)) == [["a", "b"]])
    #expect(try pair(Mail("b", subject: "Re: " + subject, date: 30 * day + 1)) == [["a"], ["b"]])
    #expect(try pair(Mail("b", subject: "Re: " + subject, date: -day)) == [["a"], ["b"]])
    #expect(
      try pair(Mail("b", subject: "Re: " + subject, date: day, account: 2)) == [["a"], ["b"]])
    // A header that names anything is believed.
    #expect(
      try pair(Mail("b", answers: ["z@x"], subject: "Re: " + subject, date: day)) == [["a"], ["b"]])
  }

  @Test(arguments: ["hi", "Test", "Hello!", "日"])
  func `short and usual subjects join as others do`(subject: String) throws {
    let mails = [
      Mail("a", subject: subject, date: 0), Mail("b", subject: "Re: " + subject, date: 60),
    ]
    #expect(try groups(of: mails) == [["a", "b"]])
  }

  @Test(arguments: ["", "x", "no subject", "(no subject)", "???"])
  func `subjects that say nothing join nothing`(subject: String) throws {
    let mails = [
      Mail("a", subject: subject, date: 0), Mail("b", subject: "Re: " + subject, date: 60),
    ]
    #expect(try groups(of: mails) == [["a"], ["b"]])
  }

  @Test func `a reply joins a conversation that has headers`() throws {
    let seen = try threads(of: [
      Mail("a", subject: "garden party", date: 0),
      Mail("b", answers: ["a@x"], subject: "Re: garden party", date: 60),
      Mail("c", subject: "Re: garden party", date: 120),
    ])
    #expect(seen["c"]?.thread == ["a", "b", "c"])
    #expect(seen["c"]?.parent == "b")
  }

  @Test func `siblings of a missing parent are together`() throws {
    let seen = try threads(of: [
      Mail("b", references: ["root@x", "gone@x"], date: 2),
      Mail("c", references: ["other-root@x", "gone@x"], date: 3),
      Mail("d", answers: ["gone@x"], date: 4),
    ])
    #expect(seen["b"]?.thread == ["b", "c", "d"])
    #expect(seen.values.allSatisfy { $0.parent == nil })
  }

  @Test func `two that answer each other are one thread with one root`() throws {
    let seen = try threads(of: [
      Mail("a", answers: ["b@x"], date: 1), Mail("b", answers: ["a@x"], date: 2),
    ])
    #expect(seen["a"]?.thread == ["a", "b"])
    #expect(seen["a"]?.parent == nil)
    #expect(seen["a"]?.source == ThreadLinkSource.none)
    #expect(seen["b"]?.parent == "a")
  }

  @Test func `whoever answers himself is a root`() throws {
    let seen = try threads(of: [Mail("a", answers: ["a@x"], references: ["a@x"], date: 1)])
    #expect(seen["a"]?.parent == nil)
  }

  @Test func `circles of all sizes are cut at their earliest message`() throws {
    // m1 and m2 name each other, m3 itself, m4 and m5 each other and more.
    let seen = try threads(of: [
      Mail("m1", references: ["m2@x"], date: 2), Mail("m2", references: ["m1@x"], date: 1),
      Mail("m3", references: ["m3@x"], date: 3),
      Mail("m4", references: ["m3@x", "m5@x"], date: 5),
      Mail("m5", references: ["m4@x", "m4@x"], date: 4),
    ])
    #expect(seen["m1"]?.thread == ["m1", "m2"])
    #expect(seen["m4"]?.thread == ["m3", "m4", "m5"])
    #expect(seen["m2"]?.parent == nil)
    #expect(seen["m1"]?.parent == "m2")
    #expect(seen["m5"]?.parent == nil)
    #expect(seen["m4"]?.parent == "m5")
  }

  @Test func `a sentence in In-Reply-To names its id and not its people`() throws {
    let mails = [
      Mail("19990101.id", date: 1),
      Mail("b", answers: ["bob@x", "19990101.id@x"], to: ["Bob@x"], date: 2),
      Mail("20000101.id", date: 3),
      Mail("c", answers: ["bob@x", "20000101.id@x"], date: 4),
    ]
    let seen = try threads(of: mails)
    #expect(seen["b"]?.thread == ["19990101.id", "b"])
    #expect(seen["b"]?.parent == "19990101.id")
    #expect(seen["c"]?.thread == ["20000101.id", "c"])
  }

  @Test func `an address alone in In-Reply-To is no message`() throws {
    let mails = [
      Mail("a", answers: ["bob7@x"], to: ["bob7@x"], date: 1),
      Mail("b", answers: ["BOB7@x"], to: ["bob7@x"], date: 2),
    ]
    #expect(try groups(of: mails) == [["a"], ["b"]])
  }

  @Test func `two ids in In-Reply-To join both, and the last reference is the parent`() throws {
    let seen = try threads(of: [
      Mail("a1", date: 1), Mail("b1", date: 2),
      Mail("c", answers: ["a1@x", "b1@x"], date: 3),
      Mail("d", answers: ["a1@x", "c@x"], references: ["b1@x", "gone@x"], date: 4),
    ])
    #expect(seen["c"]?.thread == ["a1", "b1", "c", "d"])
    #expect(seen["c"]?.parent == "a1")
    #expect(seen["c"]?.source == .inReplyTo)
    #expect(seen["d"]?.parent == "b1")
    #expect(seen["d"]?.source == .reference)
  }

  @Test func `two mails without a Message-ID stay two`() throws {
    let mails = [
      Mail("a", id: "0123456789abcdef@content", date: 1),
      Mail("b", id: "fedcba9876543210@content", date: 1),
    ]
    #expect(try groups(of: mails) == [["a"], ["b"]])
  }

  @Test func `a new subject under old references stays in its thread`() throws {
    let mails = [
      Mail("a", subject: "old", date: 1),
      Mail("b", references: ["a@x"], subject: "entirely new", date: 2),
    ]
    #expect(try groups(of: mails) == [["a", "b"]])
  }

  @Test func `one Message-ID with different content is two siblings`() throws {
    let seen = try threads(of: [
      Mail("root", date: 1),
      Mail("one", id: "same@x", answers: ["root@x"], date: 2),
      Mail("two", id: "same@x", answers: ["root@x"], date: 2),
      Mail("late", id: "same@x", answers: ["root@x"], date: 3),
      Mail("reply", answers: ["same@x"], date: 4),
    ])
    #expect(seen["one"]?.thread == ["late", "one", "reply", "root", "two"])
    #expect(["one", "two", "late"].allSatisfy { seen[$0]?.parent == "root" })
    #expect(seen["reply"]?.parent != "late")
  }

  @Test func `Proton's internal ids join nothing`() throws {
    let mails = ["a", "b", "c"].map {
      Mail($0, references: ["n8Zk3@protonmail.internalid"], date: 1)
    }
    #expect(try groups(of: mails) == [["a"], ["b"], ["c"]])
  }

  @Test func `references that only look alike stay apart`() throws {
    let mails = [
      Mail("a", references: ["+16461234567@txt.voice.google.com"], date: 1),
      Mail("b", references: ["+16461234568@txt.voice.google.com"], date: 2),
      Mail("c", references: ["+16461234567@TXT.voice.google.com"], date: 3),
    ]
    #expect(try groups(of: mails) == [["a"], ["b"], ["c"]])
  }

  @Test func `a ticket whose first mail was never seen is one thread`() throws {
    let seen = try threads(of: [
      Mail("t1", answers: ["rt-ticket-7@x"], references: ["rt-ticket-7@x"], date: 1),
      Mail("t2", answers: ["t1@x"], references: ["rt-ticket-7@x", "t1@x"], date: 2),
      Mail("t3", answers: ["rt-ticket-7@x"], references: ["rt-ticket-7@x"], date: 3),
    ])
    #expect(seen["t1"]?.thread == ["t1", "t2", "t3"])
    #expect(seen["t1"]?.parent == nil)
    #expect(seen["t2"]?.parent == "t1")
    #expect(seen["t3"]?.parent == nil)
  }

  @Test func `In-Reply-To beats references that end with the oldest`() throws {
    // A bug tracker that writes references newest first.
    let seen = try threads(of: [
      Mail("old", date: 1), Mail("mid", answers: ["old@x"], date: 2),
      Mail("new", answers: ["mid@x"], references: ["mid@x", "old@x"], date: 3),
    ])
    #expect(seen["new"]?.parent == "mid")
  }

  @Test func `patches stand below their cover letter`() throws {
    let patches = (1...12).map {
      Mail(
        "p\($0)", answers: ["cover@x"], references: ["cover@x"],
        subject: "[PATCH \($0)/12] part \($0)",
        date: Int64($0))
    }
    let reviews = (1...12).map {
      Mail(
        "r\($0)", answers: ["p\($0)@x"], references: ["cover@x", "p\($0)@x"],
        subject: "Re: [PATCH \($0)/12] part \($0)", from: "R\($0) <r\($0)@x>", date: Int64(100 + $0)
      )
    }
    let seen = try threads(
      of: [Mail("cover", subject: "[PATCH 0/12] all", date: 0)] + patches + reviews)
    #expect(seen["cover"]?.thread.count == 25)
    #expect(seen["r7"]?.parent == "p7")
  }

  @Test func `answers to an invitation stay with it`() throws {
    let words = ["Accepted", "Declined", "Tentative", "Zugesagt", "Accepté", "Ny tid föreslagen"]
    let answers = (0..<18).map {
      Mail(
        "a\($0)", answers: ["invitation@x"], subject: "\(words[$0 % 6]): Lunch",
        from: "G\($0) <g\($0)@x>", date: Int64($0 + 1))
    }
    let groups = try groups(of: [Mail("invitation", subject: "Lunch")] + answers)
    #expect(groups.map(\.count) == [19])
  }

  @Test func `messages of two accounts never meet`() throws {
    let mails = [
      Mail("a", date: 1), Mail("b", id: "a@x", date: 1, account: 2),
      Mail("c", answers: ["a@x"], date: 2),
      Mail("d", answers: ["a@x"], date: 2, account: 2),
    ]
    #expect(try groups(of: mails) == [["a", "c"], ["b", "d"]])
  }
}
