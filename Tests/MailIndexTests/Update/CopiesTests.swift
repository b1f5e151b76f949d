import Foundation
import GRDB
import Testing

@testable import MailIndex

/// Several files of one message, and files that must not become one.
@Suite struct CopiesTests {
  let lab: IndexLab
  init() throws { lab = try IndexLab() }

  private func listed(_ list: String) throws -> Int {
    let query = try QueryParser.parse("list:\(list)", clock: SearchIndex.clock)
    return try lab.read { try Search(SearchRequest(query: query), in: $0).messages().count }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `a mail that came through two lists is found by each`(order: [Int]) throws {
    let lists = ["one.example.org", "two.example.org"]
    for place in order {
      try lab.put(
        "home/L\(place)", "cur/\(place).a:2,S",
        lab.mail("a", extra: "List-Id: <\(lists[place])>\n"))
      try lab.update()
    }
    #expect(try lab.number("SELECT count(*) FROM messages") == 1)
    #expect(try lab.strings("SELECT list_id FROM messages") == ["one.example.org"])
    for list in lists { #expect(try listed(list) == 1) }
    try lab.expectSound()
    try lab.update(.rebuild, bulkFrom: 1)
    for list in lists { #expect(try listed(list) == 1) }
    #expect(try lab.strings("SELECT list_id FROM messages") == ["one.example.org"])
    try lab.expectSound()
    try lab.remove("home/L0/cur/0.a:2,S")
    try lab.update()
    #expect(try listed(lists[0]) == 0)
    #expect(try listed(lists[1]) == 1)
    #expect(try lab.strings("SELECT list_id FROM messages") == ["two.example.org"])
    try lab.expectSound()
  }

  @Test func `messages that lack what tells them apart stay apart`() throws {
    let mails = [
      "", "Reply-To: a@b.example\nX-Note: one\n\n", "Reply-To: a@b.example\nX-Note: two\n\n",
      "X-Note: one\n\n", "Subject: s\nX-Note: one\n\n", "Subject: s\nX-Note: two\n\n",
      "X-Other: one\n\n",
    ]
    for (number, mail) in mails.enumerated() {
      try lab.put("home/INBOX", "cur/\(number).a:2,S", mail)
      try lab.put(
        "home/Copies", "cur/\(number).a:2,S",
        mail.isEmpty ? "" : "Received: by here; 1 Jan 2024 10:00:00 +0000\nStatus: RO\n" + mail)
    }
    try lab.update()
    // The empty file's copy has a header.
    #expect(try lab.number("SELECT count(*) FROM messages") == mails.count)
    #expect(try lab.number("SELECT count(*) FROM files") == 2 * mails.count)
  }

  @Test func `a keyword with a line feed stays one`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a", extra: "X-Keywords: c%0Ad, b%5Cn\n"))
    try lab.update()
    let names = try lab.strings("SELECT keyword FROM keywords ORDER BY 1")
    try lab.move("home/INBOX/cur/1.a:2,S", to: "home/INBOX/cur/1.a:2,FS")
    try lab.update()
    #expect(try lab.strings("SELECT keyword FROM keywords ORDER BY 1") == names)
    #expect(names.count == 2)
    try lab.expectSound()
  }

  @Test(arguments: ["c\nd", "back\\slash", "\\n", "\\\\n\n", "plain"])
  func `keywords come back from their lines`(name: String) {
    let text = FileRows.text([name, "other"]) ?? ""
    #expect(Set(FileRows.keywords(text)) == [name, "other"])
  }

  @Test func `a thorough run sees letters that mean something else`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,Sa", lab.mail("a"))
    let names = URL(fileURLWithPath: lab.root + "/home/INBOX/dovecot-keywords")
    try Data("0 todo\n".utf8).write(to: names)
    try lab.update()
    #expect(try lab.strings("SELECT keyword FROM keywords") == ["todo"])
    try Data("0 done\n".utf8).write(to: names)
    let summary = try lab.update(.thorough)
    #expect(summary.read == 0 && summary.changed == 1)
    #expect(try lab.strings("SELECT keyword FROM keywords") == ["done"])
    #expect(try lab.update(.thorough).changed == 0)
    try lab.expectSound()
  }

  @Test func `an edit counts as a change`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a", body: "one"))
    try lab.update()
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a", body: "another"))
    let summary = try lab.update(.thorough)
    #expect(summary.changed == 1 && summary.addedMessages == 0 && summary.removedFiles == 0)
    #expect(try lab.found("another") == ["a@example.org"])
  }

  @Test(arguments: [
    ["Ann@Example.org", "ann@example.org", "ANN@EXAMPLE.ORG"],
    ["ANN@EXAMPLE.ORG", "Ann@Example.org", "ann@Example.org"],
  ])
  func `an address is spelt alike whatever came first`(spellings: [String]) throws {
    for (number, spelling) in spellings.enumerated() {
      try lab.put(
        "home/INBOX", "cur/\(number).a:2,S", lab.mail("m\(number)", from: spelling))
      try lab.update()
    }
    let spelt = try lab.strings("SELECT address FROM addresses WHERE received_count > 0")
    #expect(spelt == [spellings.max { $0.utf8.lexicographicallyPrecedes($1.utf8) }])
    for mode in [1, 1000] {
      try lab.update(.rebuild, bulkFrom: mode)
      #expect(try lab.strings("SELECT address FROM addresses WHERE received_count > 0") == spelt)
    }
  }
}
