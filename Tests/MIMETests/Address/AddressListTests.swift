import MIME
import Testing

@Suite struct AddressListTests {
  private func parse(_ text: String) -> [MailAddress] {
    MailBytes(text).read { AddressList.parse($0) }
  }

  @Test(arguments: [
    ("a@b", "", "a@b"),
    ("<a@b>", "", "a@b"),
    ("Alice <a@b>", "Alice", "a@b"),
    ("\"Doe, John\" <j@d>", "Doe, John", "j@d"),
    ("John Q. Public <j@d>", "John Q. Public", "j@d"),
    ("\"say \\\"hi\\\"\" <j@d>", "say \"hi\"", "j@d"),
    ("j@d (John Doe)", "John Doe", "j@d"),
    ("j@d (John (the) Doe)", "John (the) Doe", "j@d"),
    ("=?utf-8?Q?J=C3=B6hn?= Doe <j@d>", "Jöhn Doe", "j@d"),
    ("=?utf-8?Q?Doe,_John?= <j@d>", "Doe, John", "j@d"),
    ("\"=?utf-8?Q?J=C3=B6hn?=\" <j@d>", "Jöhn", "j@d"),
    ("=?utf-8?Q?J=C3?= =?utf-8?Q?=B6hn?=<j@d>", "Jöhn", "j@d"),
    ("Jöhn <jö@dömain>", "Jöhn", "jö@dömain"),
    ("Folded\r\n Name <j@d>", "Folded Name", "j@d"),
    ("<@relay.one,@two:j@d>", "", "j@d"),
    ("John Doe j@d", "John Doe", "j@d"),
    ("j @ d . org", "", "j@d.org"),
    ("Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>", "Pete", "pete@silly.test"),
    ("\"john smith\"@d", "", "\"john smith\"@d"),
    ("j@[IPv6:2001:db8::1]", "", "j@[IPv6:2001:db8::1]"),
    ("<j@[IPv6:2001:db8::1]>", "", "j@[IPv6:2001:db8::1]"),
    ("Mikel@Lindsaar <m@g>", "Mikel@Lindsaar", "m@g"),
    ("root", "", "root"),
    ("John Doe", "John Doe", ""),
    ("Open <j@d", "Open", "j@d"),
    ("Open (comment <j@d>", "Open (comment", "j@d"),
    ("\"Open <j@d>", "Open", "j@d"),
    ("mailto:j@d", "", "j@d"),
    ("<\"quoted@local\"@d>", "", "\"quoted@local\"@d"),
  ])
  func `one address in every shape`(raw: String, name: String, address: String) {
    #expect(parse(raw) == [MailAddress(name: name, address: address)])
  }

  @Test(arguments: ["a@b, c@d", "a@b; c@d", "a@b,, ,c@d,", "<a@b> <c@d>", "a@b c@d", "<a@b, c@d"])
  func `two addresses whatever parts them`(raw: String) {
    #expect(parse(raw).map(\.address) == ["a@b", "c@d"])
  }

  @Test func `members know their group`() {
    let found = parse("A Group: Ed <ed@x>, joe@y; pete@z")
    #expect(
      found == [
        MailAddress(name: "Ed", address: "ed@x", group: "A Group"),
        MailAddress(name: "", address: "joe@y", group: "A Group"),
        MailAddress(name: "", address: "pete@z"),
      ])
  }

  @Test func `a group without members is told`() {
    #expect(
      parse("undisclosed-recipients:;") == [
        MailAddress(name: "", address: "", group: "undisclosed-recipients")
      ])
    #expect(parse("undisclosed-recipients:").map(\.group) == ["undisclosed-recipients"])
  }

  @Test(arguments: ["", "  ", ",", "<>", ",;,", "(comment only)", "<><><>"])
  func `nothing gives nothing`(raw: String) {
    #expect(parse(raw) == [])
  }

  @Test func `no more than the limit are read`() {
    let many = String(repeating: "a@b,", count: 50)
    #expect(MailBytes(many).read { AddressList.parse($0, limit: 7) }.count == 7)
    let blanks = String(repeating: "a@b ", count: 50)
    #expect(MailBytes(blanks).read { AddressList.parse($0, limit: 7) }.count == 7)
  }

  @Test(arguments: [
    ("Alice <a@b>", "Alice <a@b>"), ("a@b", "a@b"), ("\"Doe, John\" <j@d>", "\"Doe, John\" <j@d>"),
    ("\"a;b\" <j@d>", "\"a;b\" <j@d>"), ("J. Q. Doe <j@d>", "J. Q. Doe <j@d>"),
    ("j@d (John (the) Doe)", "\"John (the) Doe\" <j@d>"),
    ("\"x \\\"y\\\", z\" <j@d>", "\"x \\\"y\\\", z\" <j@d>"),
    ("=?utf-8?Q?D=C3=B6,_J?= <j@d>, x@y", "\"Dö, J\" <j@d>, x@y"), ("hidden:;", "hidden"),
    ("a@b, hidden:;", "a@b, hidden"), ("a@b, :;", "a@b"), ("friends: a@b, c@d;", "a@b, c@d"),
    ("", ""),
  ])
  func `what is displayed can be taken apart again`(raw: String, shown: String) {
    let addresses = parse(raw)
    #expect(AddressList.display(addresses) == shown)
    let people = addresses.filter { $0.group == nil }
    #expect(parse(AddressList.display(people)) == people)
  }

  @Test func `of very many addresses the first are displayed`() {
    let addresses = parse((1...9).map { "p\($0)@d" }.joined(separator: ", "))
    #expect(AddressList.display(addresses, most: 2) == "p1@d, p2@d, …")
    #expect(!AddressList.display(addresses, most: 9).contains("…"))
  }
}
