import Testing

@testable import MailIndex

struct ParticipantsTests {
  private func text(_ senders: [(String, String)]) -> String {
    var participants = Participants()
    for (sender, address) in senders { participants.add(sender: sender, address: address) }
    return participants.text
  }

  @Test(arguments: [
    ("Ann Lee <ann@x>", "Ann Lee"), ("ann@x", "ann@x"), ("<ann@x>", "ann@x"), ("", "ann@x"),
    ("\"Lee, Ann\" <ann@x>", "Ann Lee"), ("Acme, Inc. <ann@x>", "Acme Inc."),
    ("Lee, Ann, Dr <ann@x>", "Lee Ann Dr"), ("'Ann' <ann@x>", "Ann"),
    ("Ann\u{1B}[31m\nLee <ann@x>", "Ann [31m Lee"), ("a <b> c <ann@x>", "a <b> c"),
    ("日本 太郎 <ann@x>", "日本 太郎"), (", <ann@x>", "ann@x"),
  ])
  func `names are short and without commas`(sender: String, name: String) {
    #expect(Participants.short(sender, address: "ann@x") == name)
  }

  @Test func `names of any length stay bounded`() {
    let zalgo = "e" + String(repeating: "\u{301}", count: 100_000)
    #expect(Participants.short("\(zalgo) <a@x>", address: "a@x").unicodeScalars.count <= 40)
    #expect(
      Participants.short("", address: String(repeating: "a", count: 1000)).utf8.count <= 40)
  }

  @Test func `one person stands there once, at the first appearance`() {
    #expect(
      text([
        ("Bob <bob@x>", "bob@x"), ("Ann <ann@x>", "ann@x"), ("Robert <BOB@x>", "BOB@x"),
        ("bob <bob@home>", "bob@home"), ("Bobby <bob@home>", "bob@home"),
      ]) == "Bob, Ann")
  }

  @Test func `of many the first twenty are named`() {
    let people = (1...50).map { ("P\($0) <p\($0)@x>", "p\($0)@x") }
    let expected = (1...20).map { "P\($0)" }.joined(separator: ", ")
    #expect(text(Array(people.prefix(20))) == expected)
    #expect(text(Array(people.prefix(21))) == expected + ", …")
    #expect(text(people) == expected + ", …")
  }

  @Test func `adding the latest sender says the same as beginning anew`() {
    let people = (0..<60).map { number -> (String, String) in
      let person = (number * 7) % 23
      return (
        number % 3 == 0 ? "N\(person) <a\(person % 11)@x>" : "a\(person)@x", "a\(person % 11)@x"
      )
    }
    var grown = ""
    for (place, person) in people.enumerated() {
      let before = people.prefix(place)
      grown = Participants.appending(person.0, address: person.1, to: grown) {
        before.contains { $0.1 == person.1 }
      }
      #expect(grown == text(Array(before) + [person]))
    }
  }
}
