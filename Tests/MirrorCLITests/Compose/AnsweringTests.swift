import MIME
import Testing

@testable import MirrorCLI

@Suite struct AnsweringTests {
  private func answering(_ header: String) -> Answering {
    let message = Array((header + "\n\ntext\n").utf8).withUnsafeBytes(AnsweredMessage.init)
    return Answering(message: message, own: ["me@home.example", "me@work.example"])
  }

  private func recipients(_ header: String, all: Bool) -> String {
    let (to, cc) = answering(header).recipients(toAll: all)
    return to.map(\.address).joined(separator: " ") + " | "
      + cc.map(\.address).joined(separator: " ")
  }

  @Test(arguments: [
    ("From: a@x.example\nTo: me@home.example", "a@x.example | ", "a@x.example | "),
    (
      "From: a@x.example\nTo: me@home.example, B <b@x.example>\nCc: c@x.example, A@X.example",
      "a@x.example | ", "a@x.example | b@x.example c@x.example"
    ),
    (
      "From: a@x.example\nReply-To: list@x.example\nTo: list@x.example\nCc: me@work.example",
      "list@x.example | ", "list@x.example | "
    ),
    (
      "From: me@home.example\nTo: b@x.example\nCc: c@x.example, me@work.example",
      "b@x.example | ", "b@x.example | c@x.example"
    ),
    ("From: me@home.example\nTo: me@work.example", "me@home.example | ", "me@home.example | "),
    (
      "From: a@x.example\nTo: list@x.example, me@home.example\nMail-Followup-To: list@x.example",
      "a@x.example | ", "list@x.example | "
    ),
    (
      "From: a@x.example\nTo: list@x.example\nMail-Followup-To: ME@home.example, a@x.example",
      "a@x.example | ", "a@x.example | "
    ),
    ("To: b@x.example", " | ", " | b@x.example"),
  ])
  func `an answer goes to others, each once`(header: String, one: String, all: String) {
    #expect(recipients(header, all: false) == one)
    // Where nobody is left in To, those of Cc are.
    let whole = recipients(header, all: true)
    #expect(whole == all || whole == "b@x.example | ")
  }

  @Test(arguments: [
    ("From: a@x.example\nReply-To: evil@y.example", false, "evil@y.example"),
    ("From: a@x.example\nReply-To: evil@y.example\nCc: c@x.example", true, "evil@y.example"),
    ("From: a@x.example\nReply-To: A@x.example", false, ""),
    ("From: a@x.example\nReply-To: a@x.example, b@x.example", false, ""),
    ("From: a@x.example", false, ""),
    ("From: a@x.example\nReply-To: e@y.example\nMail-Followup-To: f@y.example", true, ""),
    ("From: a@x.example\nReply-To: e@y.example\nCc: a@x.example", true, ""),
    ("From: me@home.example\nReply-To: e@y.example\nTo: b@x.example", false, ""),
  ])
  func `who gets an answer in the sender's place is told`(
    header: String, all: Bool, expected: String
  ) {
    let elsewhere = answering(header).elsewhere(toAll: all)
    #expect((elsewhere?.to ?? []).map(\.address).joined(separator: " ") == expected)
  }

  @Test func `whom Mail-Followup-To puts in the place of others is told`() {
    let header =
      "From: a@x.example\nTo: list@x.example, me@home.example\nCc: c@x.example\nMail-Followup-To: "
    func changes(_ field: String) -> String {
      let changes = answering(header + field).followUpChanges
      return changes.leftOut.map(\.address).joined(separator: " ") + " | "
        + changes.added.map(\.address).joined(separator: " ")
    }
    #expect(changes("evil@y.example") == "a@x.example list@x.example c@x.example | evil@y.example")
    #expect(changes("list@x.example") == "a@x.example c@x.example | ")
    #expect(changes("list@x.example, A@x.example, c@x.example") == " | ")
    #expect(answering("From: a@x.example\nTo: b@x.example").followUpChanges.leftOut.isEmpty)
  }

  @Test(arguments: [
    ("Topic", "Re: Topic"), ("Re: Topic", "Re: Topic"), ("RE: re: Topic", "Re: Topic"),
    ("AW: Re[2]: Topic", "Re: Topic"), ("Sv:Topic", "Re: Topic"), ("Fwd: Topic", "Re: Fwd: Topic"),
    ("Topic: re: x", "Re: Topic: re: x"), ("", "Re: "), ("Re:", "Re: "),
    ("回复: 主题", "Re: 主题"),
  ])
  func `a subject has one mark of an answer`(subject: String, expected: String) {
    #expect(AnswerSubject.reply(to: subject) == expected)
  }

  @Test func `references name the conversation and then the message`() {
    let plain = answering("Message-ID: <c@x>\nReferences: <a@x> <b@x>\nIn-Reply-To: <b@x>").message
    #expect(plain.answerReferences == ["a@x", "b@x", "c@x"])
    let parent = answering("Message-ID: <c@x>\nIn-Reply-To: <b@x>").message
    #expect(parent.answerReferences == ["b@x", "c@x"])
    #expect(answering("Subject: none").message.answerReferences.isEmpty)
    let ids = (0..<200).map { "<\($0)@x>" }.joined(separator: "\n ")
    let long = answering("Message-ID: <z@x>\nReferences: \(ids)").message.answerReferences
    #expect(long.count == 41 && long.first == "0@x" && long.suffix(2) == ["199@x", "z@x"])
  }

  @Test func `one writes by the address that was written to`() {
    #expect(answering("From: a@x.example\nTo: ME@work.example").addressed == "ME@work.example")
    #expect(answering("From: a@x.example\nTo: list@x.example").addressed == nil)
  }

  @Test(arguments: [
    ("Bob", "Bob <b@x>"), ("", "b@x"), ("Doe, Jane", "\"Doe, Jane\" <b@x>"),
    ("A \"B\" \\C", "\"A \\\"B\\\" \\\\C\" <b@x>"), ("Zoë Ü", "Zoë Ü <b@x>"),
    ("evil@x.example", "\"evil@x.example\" <b@x>"),
  ])
  func `names stand so that they are read as names`(name: String, field: String) {
    #expect(Template.mailbox(MailAddress(name: name, address: "b@x")) == field)
  }

  @Test func `no name and no subject begins another field`() {
    var template = Template()
    template.field("To", [MailAddress(name: "A\nBcc: c@x", address: "b@x\r\nBcc: d@x")])
    template.field("Subject", "x\r\nBcc: e@x\u{1B}[2J")
    let lines = String(decoding: template.bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { !$0.hasPrefix("Bcc") && !$0.contains("\u{1B}") })
  }

  @Test func `a field holds words, and no trace of what turns them round or cannot be seen`() {
    var template = Template()
    template.field(
      "To", [MailAddress(name: "\u{202E}knaB\u{2066} \u{7F}X", address: "q\u{202E}@x.example")])
    template.field("Subject", "Re: \u{202E}\u{1B}[2Jno\u{200B}w\tתודה 👨\u{200D}👩 \u{9B}2J")
    template.field("References", ids: ["a\u{202E}@b"])
    #expect(
      String(decoding: template.bytes, as: UTF8.self)
        == "To: \"knaB X\" <q@x.example>\nSubject: Re: [2Jnow תודה 👨\u{200D}👩 2J\nReferences: <a@b>\n"
    )
  }

  @Test func `many recipients stand on lines of their own`() {
    var template = Template()
    let people = (0..<9).map { MailAddress(name: "Person \($0)", address: "p\($0)@x.example") }
    template.field("Cc", people)
    let text = String(decoding: template.bytes, as: UTF8.self)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 78 })
    let value = Array(text.dropFirst(3).utf8)
    #expect(value.withUnsafeBytes { AddressList.parse($0) } == people)
  }
}
