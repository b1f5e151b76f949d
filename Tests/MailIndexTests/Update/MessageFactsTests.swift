import Foundation
import Testing

@testable import MailIndex

/// What the views say of messages, their parts and folders.
@Suite struct MessageFactsTests {
  let lab: IndexLab

  init() throws { lab = try IndexLab() }

  private func text(of size: Int) -> String {
    let line = "some words of a long text that goes on and on\n"
    return String(repeating: line, count: size / line.utf8.count + 1)
  }

  @Test func `words far into a long text are found, and what is cut is told`() throws {
    try lab.put(
      "home/INBOX", "cur/1.a:2,S",
      lab.mail("a", body: text(of: 9 << 20) + "zirconium\n"))
    try lab.put(
      "home/INBOX", "cur/2.b:2,S",
      lab.mail("b", subject: "Other", body: text(of: 11 << 20) + "zirconium\n"))
    try lab.update()
    #expect(try lab.found("zirconium") == ["a@example.org"])
    #expect(
      try lab.strings("SELECT message_id FROM messages WHERE is_text_cut") == ["b@example.org"])
    try lab.expectSound()
  }

  @Test func `a message without words has its subject for a snippet`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a", subject: "Look at this", body: ""))
    try lab.put(
      "home/INBOX", "cur/2.b:2,S",
      lab.mail("b", subject: String(repeating: "long ", count: 60), body: " "))
    try lab.update()
    #expect(
      try lab.strings("SELECT snippet FROM messages ORDER BY message_id")[0] == "Look at this")
    #expect(
      try lab.strings("SELECT snippet FROM threads ORDER BY subject")
        .allSatisfy { !$0.isEmpty && $0.count <= 100 })
  }

  @Test(arguments: [1, 400])
  func `a conversation is called without prefixes`(bulkFrom: Int) throws {
    try lab.put(
      "home/INBOX", "cur/1.a:2,S", lab.mail("a", subject: "Fw: Re: [club] WG: The budget"))
    try lab.put(
      "home/INBOX", "cur/2.b:2,S", lab.mail("b", subject: "[club] Re: Lunch", day: 2))
    try lab.put("home/INBOX", "cur/3.c:2,S", lab.mail("c", subject: "Fwd:", day: 3))
    try lab.update(bulkFrom: bulkFrom)
    #expect(
      try lab.strings("SELECT subject FROM threads ORDER BY latest_date")
        == ["[club] The budget", "[club] Lunch", "Fwd:"])
    try lab.expectSound()
  }

  /// Most addresses are kept only as a part of the sender.
  @Test func `every sender keeps the address`() throws {
    let senders = [
      "Alice <alice@example.org>": "alice@example.org", "bob@example.org": "bob@example.org",
      "<carol@example.org>": "carol@example.org", "\"<x>\" <dave@example.org>": "dave@example.org",
      "\"Ewe, Äda\" <Ewe@Example.Org>": "Ewe@Example.Org", "Fred": "Fred",
      "\"a <b\" <g@example.org>": "g@example.org",
      "=?utf-8?q?H=00?= <h@example.org>": "h@example.org",
    ]
    for (number, from) in senders.keys.sorted().enumerated() {
      try lab.put("home/INBOX", "cur/\(number).m:2,S", lab.mail("m\(number)", from: from))
    }
    try lab.update()
    for (number, from) in senders.keys.sorted().enumerated() {
      let found = try lab.strings(
        "SELECT sender_address FROM messages WHERE message_id = 'm\(number)@example.org'")
      #expect(found == [senders[from] ?? ""], "\(from)")
    }
    try lab.expectSound()
  }

  @Test func `one file sent in two ways has one hash`() throws {
    let bytes = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) })
    func part(_ encoding: String, _ body: String) -> String {
      "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHere.\n--x\n"
        + "Content-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n"
        + "Content-Transfer-Encoding: \(encoding)\n\n\(body)\n--x--\n"
    }
    func mail(_ id: String, _ part: String) -> String {
      "From: a@example.org\nSubject: \(id)\nMessage-ID: <\(id)>\nDate: 1 Jan 2024 10:00:00 +0000\n"
        + "MIME-Version: 1.0\n" + part
    }
    let lines = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    try lab.put("home/INBOX", "cur/1.a:2,S", mail("a", part("base64", bytes.base64EncodedString())))
    try lab.put("home/INBOX", "cur/2.b:2,S", mail("b", part("base64", lines)))
    let printable = bytes.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return "=" + (digits.count < 2 ? "0" : "") + digits
    }
    var folded = ""
    for (place, escape) in printable.enumerated() {
      folded += escape + (place % 20 == 19 ? "=\n" : "")
    }
    try lab.put("home/INBOX", "cur/3.c:2,S", mail("c", part("quoted-printable", folded)))
    try lab.put("home/INBOX", "cur/4.d:2,S", mail("d", part("base64", "QUJD")))
    try lab.update()
    let hashes = try lab.strings(
      "SELECT a.hash FROM attachments AS a JOIN messages AS m ON m.id = a.message ORDER BY m.subject"
    )
    #expect(hashes.count == 4 && Set(hashes.prefix(3)).count == 1 && Set(hashes).count == 2)
    #expect(hashes.allSatisfy { $0.utf8.count == 16 })
  }

  @Test func `everybody whom a message names is in the view`() throws {
    try lab.put(
      "home/INBOX", "cur/1.a:2,S",
      lab.mail("a", extra: "Cc: Carol <carol@example.org>\nBcc: dan@example.org\n"))
    try lab.update()
    #expect(
      try lab.strings(
        "SELECT role || ' ' || name || ' ' || address FROM message_addresses ORDER BY address")
        == [
          "from Alice alice@example.org", "to Bob bob@example.org", "cc Carol carol@example.org",
          "bcc  dan@example.org",
        ])
  }

  @Test func `accounts are counted`() throws {
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try lab.put("home/INBOX", "new/2.b", lab.mail("b"))
    try lab.put("work/INBOX", "cur/3.c:2,S", lab.mail("c"))
    try lab.update()
    #expect(
      try lab.strings(
        "SELECT name || '|' || path || '|' || message_count || '|' || unread_count FROM accounts ORDER BY 1"
      ) == ["home|home|2|1", "work|work|1|0"])
  }

  @Test func `folders have roles: by their names, or as the server says`() throws {
    for name in ["INBOX", "Sent", "Entwürfe", "Archive/2024", "Bin", "Projects"] {
      try lab.makeFolder("home/" + name)
    }
    func roles() throws -> [String] {
      try lab.strings(
        "SELECT name || ' ' || role FROM mailboxes WHERE role IS NOT NULL ORDER BY name")
    }
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try lab.update()
    let byName = ["Bin trash", "Entwürfe drafts", "INBOX inbox", "Sent sent"]
    #expect(try roles() == byName)
    var updater = IndexUpdater(root: lab.root)
    updater.roles.tell("home", ["home/Projects": .archive, "home/Sent": .sent])
    _ = try updater.run()
    let told = ["INBOX inbox", "Projects archive", "Sent sent"]
    #expect(try roles() == told)
    // A run that hears nothing from the server forgets nothing.
    try lab.update()
    #expect(try roles() == told)
    try lab.update(.rebuild)
    #expect(try roles() == byName)
  }
}
