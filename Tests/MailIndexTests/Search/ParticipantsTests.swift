import Testing

@testable import MailIndex

struct ParticipantsTests {
  private func list(_ senders: [(String, String, Int64)]) -> [Participant] {
    var participants = Participants()
    for (sender, address, date) in senders {
      participants.add(sender: sender, address: address, date: date)
    }
    return participants.list
  }

  @Test(arguments: [
    ("Ann Lee <ann@x>", "Ann Lee"), ("ann@x", "ann@x"), ("<ann@x>", "ann@x"), ("", "ann@x"),
    ("\"Lee, Ann\" <ann@x>", "Ann Lee"), ("Acme, Inc. <ann@x>", "Acme Inc."),
    ("Lee, Ann, Dr <ann@x>", "Lee Ann Dr"), ("'Ann' <ann@x>", "Ann"),
    ("Ann\u{1B}[31m\nLee <ann@x>", "Ann [31m Lee"), ("a <b> c <ann@x>", "a <b> c"),
    ("日本 太郎 <ann@x>", "日本 太郎"), (", <ann@x>", "ann@x"),
    (#""Bob \"B\", Jr." <ann@x>"#, #"Bob "B" Jr."#),
  ])
  func `names in lists are short and without commas`(sender: String, name: String) {
    #expect(Participant(sender: sender, address: "ann@x").shortName == name)
  }

  @Test func `names in lists stay bounded`() {
    let zalgo = "e" + String(repeating: "\u{301}", count: 100_000)
    #expect(Participant(name: zalgo, address: "a@x").shortName.unicodeScalars.count <= 40)
    #expect(
      Participant(name: "", address: String(repeating: "a", count: 1000)).shortName.utf8.count <= 40
    )
  }

  @Test func `an address stands there once, at the first appearance, in every order of arrival`() {
    let senders: [(String, String, Int64)] = [
      ("Bob <bob@x>", "bob@x", 10), ("Ann <ann@x>", "ann@x", 20), ("BOB@x", "BOB@x", 5),
      ("Robert <bob@x>", "bob@x", 30), ("MAILER-DAEMON", "", 40), ("", "", 50),
    ]
    let expected = [
      Participant(name: "Robert", address: "bob@x"), Participant(name: "Ann", address: "ann@x"),
      Participant(name: "MAILER-DAEMON", address: ""),
    ]
    #expect(list(senders) == expected)
    for _ in 0..<20 { #expect(list(senders.shuffled()) == expected) }
  }

  @Test func `of many all are named`() {
    let people = (1...500).map { ("P\($0) <p\($0)@x>", "p\($0)@x", Int64($0)) }
    #expect(list(people).map(\.name) == (1...500).map { "P\($0)" })
  }

  @Test func `the view says the same`() throws {
    let lab = try IndexLab()
    let senders = [
      "Ann Lee <ann@example.org>", "\"Lee, Bob \\\"B\\\"\" <bob@example.org>",
      "BOB@example.org", "\"back \\\\ slash, x\" <c@example.org>", "undisclosed:;",
      "Émile <e@example.org>", "mailer-daemon", "\"quoted\" <q@example.org>",
      "a_b% <a_b%@example.org>", "=?utf-8?q?A=22B=2C?= <ab@example.org>",
    ]
    for (number, sender) in senders.enumerated() {
      try lab.put(
        "home/INBOX", "cur/\(number).x:2,S",
        lab.mail(
          "m\(number)", from: sender, day: 1 + number, replyTo: number == 0 ? nil : "m0"))
    }
    try lab.update()
    let hit = try #require(
      try lab.read {
        try HitReader($0).threads([Int64.fetchOne($0, sql: "SELECT id FROM threads") ?? 0])
      }
      .first)
    #expect(hit.participants.count > 7)
    let rows = try lab.strings(
      """
      SELECT json_extract(value, '$.name') || '|' || json_extract(value, '$.address')
      FROM threads, json_each(participants) ORDER BY key
      """)
    #expect(rows == hit.participants.map { "\($0.name)|\($0.address)" })
    #expect(rows.contains(#"Lee, Bob "B"|bob@example.org"#))
    #expect(rows.contains(#"back \ slash, x|c@example.org"#))
  }
}
