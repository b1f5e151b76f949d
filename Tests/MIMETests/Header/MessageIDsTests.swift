import MIME
import Testing

@Suite struct MessageIDsTests {
  private func id(_ text: String) -> String? { MailBytes(text).read { MessageIDs.messageID($0) } }
  private func references(_ text: String) -> [String] {
    MailBytes(text).read { MessageIDs.references($0) }
  }
  private func inReplyTo(_ text: String) -> (ids: [String], isExactlyOneID: Bool) {
    MailBytes(text).read { MessageIDs.inReplyTo($0) }
  }

  @Test(arguments: [
    ("<a.b@c>", "a.b@c"),
    (" <a.b@c> (comment)", "a.b@c"),
    ("a.b@c", "a.b@c"),
    ("<\"01KF8JCEOCBS0045PS\"@xxx.yyy.com>", "01KF8JCEOCBS0045PS@xxx.yyy.com"),
    ("<\"a b\"@c>", "ab@c"),
    ("<\"a,b\"@c>", "\"a,b\"@c"),
    ("<very-long\r\n -folded@example.org>", "very-long-folded@example.org"),
    ("<a@b", "a@b"),
    ("<a@b junk", "a@b"),
    ("<\"a>b\"@c>", "\"a>b\"@c"),
    ("<20240101.abc>", "20240101.abc"),
    ("<A@B>", "A@B"),
    ("=?utf-8?Q?=3Ca@b=3E?=", "a@b"),
  ])
  func `identifiers come in one form`(raw: String, text: String) {
    #expect(id(raw) == text)
  }

  @Test(arguments: ["", "<>", "  ", "< >", "(comment)<>"])
  func `what holds no identifier gives none`(raw: String) {
    #expect(id(raw) == (raw.hasPrefix("(") ? "(comment)" : nil))
  }

  @Test func `an identifier longer than a line is none`() {
    #expect(id("<" + String(repeating: "a", count: 1500) + "@b>") == nil)
    #expect(id("<" + String(repeating: "a", count: 900) + "@b>") != nil)
  }

  @Test func `references keep their order, each once`() {
    #expect(references("<a@b>\r\n <c@d>,<a@b><e@f>") == ["a@b", "c@d", "e@f"])
    #expect(references("<a@b <c@d>") == ["a@b", "c@d"])
    #expect(references("<> <a@b> junk <c@d>") == ["a@b", "c@d"])
    #expect(references("a@b c@d") == ["a@b", "c@d"])
    #expect(references("nothing here") == [])
  }

  @Test func `of too many references the first and the last stay`() {
    let many = (0..<1500).map { "<\($0)@x>" }.joined(separator: "\n ")
    let ids = references(many)
    #expect(ids.count == 1000)
    #expect(ids.first == "0@x")
    #expect(ids[1] == "501@x")
    #expect(ids.last == "1499@x")
  }

  @Test(arguments: [
    ("<a1@b>", ["a1@b"], true),
    ("<a1@b> (Ian Jackson's message of \"Mon, 5 Dec 2016\")", ["a1@b"], true),
    ("<a1@b> <a1@b>", ["a1@b"], true),
    ("<a1@b> <c2@d>", ["a1@b", "c2@d"], false),
    (
      "Your message of Tue, 09 Dec 2014 <1900758.CgLNVPbY9N@liber>", ["1900758.CgLNVPbY9N@liber"],
      false
    ),
    ("Message from bob <bob@x> of \"Mon, 5 Dec\" <id.7@y>", ["id.7@y"], false),
    ("Message from bob <bob@x>", [], false),
    ("a1@b", ["a1@b"], true),
    ("your mail", [], false),
    ("", [], false),
  ])
  func `In-Reply-To tells an identifier from a sentence`(
    raw: String, ids: [String], isOne: Bool
  ) {
    let found = inReplyTo(raw)
    #expect(found.ids == ids)
    #expect(found.isExactlyOneID == isOne)
  }
}
