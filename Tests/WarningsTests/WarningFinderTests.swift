import MIME
import Testing
import Warnings

struct SenderWarningTests {
  @Test(arguments: [
    "\"support@bank.com\" <x@evil.test>", "\"Bank <support@bank.com>\" <x@evil.test>",
    "=?utf-8?b?c3VwcG9ydEBiYW5rLmNvbQ==?= <x@evil.test>",
    "\"a@b support@bank.com\" <x@evil.test>", "\"@ support@bank.com.\" <x@evil.test>",
    "\"x@evil.test support@bank.com\" <x@evil.test>", "support＠bank.com <x@evil.test>",
    "support﹫bank．com <x@evil.test>", "ｓｕｐｐｏｒｔ＠ｂａｎｋ。ｃｏｍ <x@evil.test>",
    "sup\u{200B}port\u{2060}@\u{AD}ba\u{200D}nk.com <x@evil.test>",
    "𝐬𝐮𝐩𝐩𝐨𝐫𝐭@𝐛𝐚𝐧𝐤.com <x@evil.test>",
    "\"a@b.c@bank.com\" <x@evil.test>",
    "\"support@bank.com\" <x@evil.test>\nList-Id: <x.evil.test>\nPrecedence: bulk",
    "\"support@bank.com via us\" <x@evil.test>\nList-Id: <l.evil.test>",
    "\"support@bank.com via us\" <x@evil.test>\nPrecedence: list\nTo: x@evil.test",
    "\"support@bank.com via us\" <x@evil.test>\nList-Post: <mailto:x@evil.test>",
    "\"support@bank.com via us\" <x@evil.test>\nList-Id: <q.z>\nCc: x@evil.test",
    "\"support@bank.com!\" <x@evil.test>", "\"{support@bank.com}\" <x@evil.test>",
    "\"relay!support@bank.com\" <x@evil.test>", "\"*support@bank.com*\" <x@evil.test>",
    "\"support@bank.com/\" <x@evil.test>", "\"support@bank.com…\" <x@evil.test>",
    "“support@bank.com” <x@evil.test>", "\"Bank—support@bank.com—\" <x@evil.test>",
    "\"mailto=support@bank.com\" <x@evil.test>", "\"a|support@bank.com|b\" <x@evil.test>",
    "\"support@bank.com\"@evil.test", "support@bank.com: x@evil.test;",
    "=?utf-8?q?Bank_=3Csupport=40bank.com=3E?=",
    "Bank <s@bank.com>, x@evil.test", "Bank <s@bank.com>\nFrom: x@evil.test",
    "x@evil.test, Bank <s@bank.com>",
    // At such a provider another address is another person.
    "\"alice@gmail.com\" <x9923@gmail.com>", "\"a.b@web.de\" <x@web.de>",
    "\"a@yahoo.co.uk\" <x@yahoo.co.uk>", "\"a@hotmail.fr\" <x@outlook.com>",
    "\"a@qq.com\" <x@vip.qq.com>", "\"a@gmail.com\" <a@mail.ru>",
    "A <a@gmail.com>, B <b@gmail.com>",
    "\"it@firm.onmicrosoft.com\" <x@evil.onmicrosoft.com>",
    "\"help@shop.github.io\" <x@evil.github.io>",
  ]) func `a name that shows another address is told`(from: String) {
    #expect(warnings("From: \(from)\n\nx") == [.senderNameHoldsAddress])
  }

  @Test(arguments: [
    "From: \"a@bank.com\" <a@bank.com>", "From: \"info@bank.com\" <x@mail.bank.com>",
    "From: Ann @ Home <a@home.test>",
    "From: \"'bob@x.com' via Group\" <group@lists.test>\nList-Id: <group.lists.test>",
    "From: Ann <a@home.test>, Bob <b@mail.home.test>", "From: a@home.test\nFrom: a@home.test",
    "From: \"Ann!\" <a@home.test>", "From: \"lib@1\" <a@home.test>", "From: \"a@b\"@home.test",
    "From: Friends: a@home.test, b@home.test;", "From: root", "From: Ann Lee",
    "From: @ann <a@home.test>",
    "From: \"bob at x.com\" <x@evil.test>", "From: \"Ann @home\" <a@home.test>",
    "From: \"Büro ✉ a@büro.test\" <x@xn--bro-hoa.test>",
    "From: \"Alice.Smith@gmail.com\" <alicesmith@googlemail.com>",
    "From: \"alice+news@gmail.com\" <alice@gmail.com>", "From: \"a@web.de\" <A@web.de>",
    "From: \"a@mail.firm.test\" <b@firm.test>",
  ]) func `its own address, none, or one on a list that the reader knows, is not`(header: String) {
    #expect(warnings(header + "\n\nx", lists: ["group.lists.test"]) == [])
  }

  private static let friends = [
    person("Jane Doe", "jane@example.com"), person("GitHub", "x@github.com"),
    person("Bob Lee", "bob@old.test"),
    person("Bob Lee", "bob@work.test"), person("Eve Ray", "eve.ray@gmail.com"),
  ]

  @Test(arguments: [
    "Jane Doe <jane@evil.test>", "\"jane  doe\" <j@other.test>", "Bob Lee <bob@evil.test>",
    "Jаne Doe <jane@evil.test>", "ｊａｎｅ Dοe <jane@evil.test>", "Eve Ray <eve.ray77@gmail.com>",
  ])
  func `a known name with an address never seen is told`(from: String) {
    #expect(warnings("From: \(from)\n\nx", people: Self.friends) == [.knownNameNewAddress])
  }

  @Test(arguments: [
    "Jane Doe <jane@example.com>", "Jane Doe <JANE@EXAMPLE.COM>",
    "Jane Doe <jane.doe@mail.example.com>",
    "\"Doe, Jane\" <jane@evil.test>", "Eve Ray <everay@gmail.com>", "GitHub <x@evil.test>",
    "Bob Lee <b.lee@work.test>",
    "Jim Doe <jim@evil.test>", "Женя Дое <x@evil.test>", "Jаne Doe <jane.doe@mail.example.com>",
    "Jane Doe <jane@evil.test>\nList-Id: <l.test>",
  ]) func `within an organisation, by one word, written otherwise or on a list it is not`(
    from: String
  ) {
    #expect(warnings("From: \(from)\n\nx", people: Self.friends, lists: ["l.test"]) == [])
  }

  @Test(arguments: ["List-Id: <l.test>", "Precedence: bulk", "List-Post: <mailto:jane@evil.test>"])
  func `no list's field that anybody can write makes a person known`(field: String) {
    #expect(
      warnings("From: Jane Doe <jane@evil.test>\n\(field)\n\nx", people: Self.friends)
        == [.knownNameNewAddress])
  }

  private static let firms = [
    person("", "a@example.com"), person("", "a@paypal.com"), person("", "a@gmx.de"),
    person("", "a@server1.net"),
    person("", "a@amazon.de"), person("", "a@modern.org"),
  ]

  @Test(arguments: [
    "x@examp1e.com", "x@exmaple.com", "x@exampple.com", "x@exampe.com", "x@mail.examplee.com",
    "x@раураl.com",
    "x@xn--pypal-4ve.com", "x@rnodern.org", "x@modem.org", "x@ｅxample.com",
  ]) func `a domain that looks like a known one is told`(address: String) {
    #expect(warnings("From: \(address)\n\nx", people: Self.firms) == [.lookalikeDomain])
  }

  @Test(arguments: [
    "x@example.com", "x@sub.example.com", "x@gmx.ch", "x@gmy.de", "x@server2.net", "x@amazon.es",
    "x@sample.com",
    "x@bücher.de", "x@example.org",
  ]) func `a domain of its own is not`(address: String) {
    #expect(warnings("From: \(address)\n\nx", people: Self.firms) == [])
  }

  @Test func `a domain of several scripts is told even where it is like none`() {
    #expect(warnings("From: x@xn--pypal-4ve.com\n\nx") == [.lookalikeDomain])
  }

  @Test func `a reply that would leave the sender's organisation is told`() {
    #expect(
      warnings("From: a@bank.com\nReply-To: b@evil.test\nTo: me@home.test\n\nx") == [
        .replyToElsewhere
      ])
  }

  @Test(arguments: [
    ("a@gmail.com", "b@gmail.com", true), ("a@gmail.com", "A@gmail.com", false),
    ("a@gmx.net", "a@gmx.de", true), ("a@x.onmicrosoft.com", "b@y.onmicrosoft.com", true),
    ("a@x.onmicrosoft.com", "b@x.onmicrosoft.com", false),
  ]) func `an answer to another person at the same provider is told`(
    from: String, to: String, isTold: Bool
  ) {
    #expect(
      warnings("From: \(from)\nReply-To: \(to)\nTo: me@home.test\n\nx")
        == (isTold ? [.replyToElsewhere] : []))
  }

  @Test(arguments: [
    "Reply-To: b@mail.bank.com", "Reply-To: me@home.test", "List-Id: <l.test>\nReply-To: l@l.test",
    "Cc: l@l.test\nReply-To: l@l.test", "To: l@l.test\nReply-To: l@l.test",
    "Reply-To: a@bank.com, b@evil.test", "Reply-To: friend@known.test", "Reply-To:",
  ]) func `a reply to the same, to oneself, to a known list or to a friend is not`(header: String) {
    let people = [person("", "friend@known.test"), person("", "me@home.test")]
    #expect(
      warnings(
        "From: a@bank.com\nTo: me@home.test\n\(header)\n\nx", people: people, lists: ["l.test"])
        == [])
  }

  @Test(arguments: [
    "To: me@home.test\nList-Id: <l.evil.test>", "Precedence: list",
    "List-Post: <mailto:b@evil.test>",
    "List-Id: <b.evil.test>\nTo: a@bank.com",
  ])
  func `no list's field that anybody can write excuses where a reply goes`(
    field: String
  ) {
    #expect(
      warnings("From: \"Ann via Bank\" <a@bank.com>\nReply-To: b@evil.test\n\(field)\n\nx")
        == [.replyToElsewhere])
  }

  @Test func `a known list that writes by its own address has answers go to the writer`() {
    let header =
      "From: \"ann@bank.com via Talk\" <talk@lists.test>\nReply-To: ann@bank.com\nTo: talk@lists.test\nList-Id: <talk.lists.test>"
    #expect(warnings(header + "\n\nx", lists: ["talk.lists.test"]) == [])
    #expect(warnings(header + "\n\nx") == [.senderNameHoldsAddress, .replyToElsewhere])
    let failed = "Authentication-Results: mx.home.example; spf=pass smtp.mailfrom=x@evil.test\n"
    #expect(
      warnings(failed + header + "\n\nx", lists: ["talk.lists.test"])
        == [.senderNameHoldsAddress, .replyToElsewhere])
  }
}

struct ContentWarningTests {
  private static func html(_ page: String, _ header: String = "") -> [MessageWarning.Kind] {
    warnings("From: a@bank.com\n\(header)Content-Type: text/html\n\n\(page)")
  }

  private static let confirmed =
    "Authentication-Results: mx.home.example; dmarc=pass header.from=bank.com\n"

  @Test func `a link that shows another host is told`() {
    #expect(Self.html("<a href=http://evil.test>www.bank.com</a>") == [.linkTextDiffers])
    #expect(
      Self.html("<a href=http://evil.test>www.shop.com</a>", Self.confirmed) == [.linkTextDiffers])
  }

  @Test func `a link of a confirmed sender through a counter is not`() {
    #expect(Self.html("<a href=http://click.counter.test>www.bank.com</a>", Self.confirmed) == [])
    #expect(Self.html("<a href=http://evil.test>Click here</a>") == [])
  }

  @Test func `that somebody at a provider is confirmed says nothing of the provider's links`() {
    let results = "Authentication-Results: mx.home.example; dmarc=pass header.from=outlook.com\n"
    #expect(
      warnings(
        "From: a@outlook.com\n\(results)Content-Type: text/html\n\n<a href=http://evil.test>www.outlook.com</a>"
      )
        == [.linkTextDiffers])
  }

  @Test func `much hidden text is told, a preview is not`() {
    let words = String(repeating: "word ", count: 25)
    let seen = "So many words can be seen that what is hidden is no preview."
    #expect(Self.html("\(seen) <p style='display:none'>\(words)") == [.hiddenText])
    #expect(Self.html("<p style='display:none'>\(words)</p>seen") == [])
    #expect(Self.html("<p style='display:none'>\(words)\(words)\(words)</p>seen") == [.hiddenText])
    #expect(Self.html("\(seen) <p style='display:none'>few words") == [])
    let many = (0..<25).map { "word\($0)" }.joined(separator: " ")
    #expect(Self.html("<p>\(many)</p><div style='display:none'>\(many) in the browser</div>") == [])
    #expect(Self.html("<p>\(seen)</p><div style='display:none'>\(many)</div>") == [.hiddenText])
  }

  private static func attachment(
    _ name: String, _ header: String = "", lists: Set<String> = []
  ) -> [MessageWarning.Kind] {
    warnings(
      "From: a@bank.com\n\(header)Content-Type: application/octet-stream; name=\"\(name)\"\n"
        + "Content-Disposition: attachment\n\nx", lists: lists)
  }

  @Test(arguments: [
    "a.svg", "a.xhtml", "a.mht", "a.exe", "a.pdf.scr", "a.docm", "a.js", "a.apk", "a.exe. ",
    "a.dmg",
  ])
  func `an attachment that runs is told`(name: String) {
    #expect(Self.attachment(name) == [.dangerousAttachment])
  }

  @Test(arguments: ["a.pdf", "a.zip", "a.exe.txt", "a.docx", "exe", "a.patch"])
  func `another is not`(name: String) {
    #expect(Self.attachment(name) == [])
  }

  @Test func `scripts on lists are what developers send each other`() {
    #expect(Self.attachment("a.sh", "List-Id: <l.test>\n", lists: ["l.test"]) == [])
    #expect(Self.attachment("a.sh", "List-Id: <l.test>\n") == [.dangerousAttachment])
    #expect(
      Self.attachment("a.exe", "List-Id: <l.test>\n", lists: ["l.test"]) == [.dangerousAttachment])
  }
}
