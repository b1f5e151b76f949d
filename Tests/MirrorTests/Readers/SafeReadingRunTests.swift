import Foundation
import MailTestKit
import Testing

/// Pages, filters, answers and trust as a person meets them.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct SafeReadingRunTests {
  private let index: IndexProgram
  private let mirror: MirrorProgram

  init() throws {
    index = try IndexProgram()
    var settings = AccountSettings(port: 1, user: "alice@example.org")
    settings.imap = "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 1\ntls = \"none\"\n"
    mirror = try MirrorProgram(settings, root: index.root)
    try index.deliver(
      message(
        "page", type: "text/html; charset=utf-8",
        "<p>See <a href=\"http://evil.example/x\">www.bank.com</a></p><img src=\"http://127.0.0.1:1/a.png\">"
      ),
      name: "1")
    try index.deliver(
      message(
        "files", type: "multipart/mixed; boundary=b",
        "--b\n\nHere it is.\n--b\nContent-Type: application/pdf; name=report.pdf\n"
          + "Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=report.pdf\n\n"
          + "JVBERi0xLjc=\n--b--"), name: "2")
    try index.runSuccessfully("update")
  }

  private func message(_ subject: String, type: String, _ body: String) -> SampleMessage {
    SampleMessage(
      bytes: crlf(
        "From: Bob <bob@example.net>\nTo: alice@example.org, Carol <carol@example.net>\n"
          + "Cc: dave@example.net\nSubject: \(subject)\nMessage-ID: <\(subject)@x>\n"
          + "Date: 1 Jan 2024 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: \(type)\n\n\(body)\n"
      ))
  }

  // MARK: No network

  @Test func `the indexer fetches no image, and says who does`() throws {
    let outcome = try index.run("show", "--html", "--remote-images", "id:page@x")
    #expect(outcome.status == 64, "\(outcome.summary)")
    #expect(outcome.errorText.contains("mirror show"))
  }

  @Test func `an image on this machine is not fetched`() throws {
    let outcome = try mirror.run(["show", "--html", "--remote-images", "id:page@x"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("1 remote image was not loaded: <bdi>127.0.0.1</bdi>."))
  }

  @Test func `a filter needs neither tree nor network`() throws {
    let file = index.home + "/page.html"
    try writeFile(
      file, "<h1>Title</h1><p>See <a href=\"http://evil.example/x\">www.bank.com</a></p>")
    let binary = try #require(IndexProgram.binary)
    let command = ["sh", "-c", "exec \"$@\" < \"$0\"", file]
    let filter = [binary, "show", "--part", "-", "--text"]
    let isAlone = try run(["unshare", "-n", "true"]).status == 0
    let outcome = try run(
      command + (isAlone ? ["unshare", "-n"] : []) + filter, environment: ["PATH": "/usr/bin:/bin"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("! A link shows www.bank.com and leads to evil.example."))
    #expect(outcome.outputText.contains("[1] http://evil.example/x"))
  }

  @Test func `a part of a message is text, too`() throws {
    let outcome = try index.run("show", "--part", "1", "--text", "id:page@x")
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("[1] http://evil.example/x"))
    #expect(!outcome.outputText.contains("<p>"))
    #expect(try index.run("show", "--part", "2", "--text", "id:files@x").status == 64)
  }

  // MARK: Trust

  @Test func `trusted senders are added, listed, removed and forgotten`() throws {
    func trust(_ words: String...) throws -> Outcome { try mirror.run(["trust"] + words) }
    #expect(try trust("list").outputText == "")
    #expect(try trust("add", "News@Shop.Example", "@a.example").status == 0)
    #expect(try trust("list").outputText == "@a.example\nnews@shop.example\n")
    let json = try trust("list", "--format", "json").output
    #expect(
      try JSONDecoder().decode([String].self, from: Data(json))
        == ["@a.example", "news@shop.example"])
    #expect(try trust("add", "nobody").status == 64)
    #expect(try trust("remove", "x@y.example").status == 1)
    #expect(try trust("remove", "@a.example").status == 0)
    #expect(try trust("clear", "--dry-run").status == 0)
    #expect(try trust("list").outputText == "news@shop.example\n")
    #expect(try trust("clear").status == 0)
    #expect(try trust("list").outputText == "")
  }

  // MARK: Answers

  private func queued() throws -> [(subject: String, recipients: [String])] {
    struct Entry: Decodable {
      struct Recipient: Decodable { var address: String }
      var subject: String?
      var recipients: [Recipient]
    }
    let outcome = try mirror.run(["outbox", "--format", "json"])
    return try JSONDecoder().decode([Entry].self, from: Data(outcome.output))
      .map { ($0.subject ?? "", $0.recipients.map(\.address).sorted()) }
  }

  @Test func `an answer to all is what sendmail takes`() throws {
    let outcome = try mirror.run(["reply", "--all", "id:page@x"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let text = outcome.outputText
    #expect(text.contains("From: alice@example.org\n") || text.contains("<alice@example.org>\n"))
    #expect(text.contains("\nTo: Bob <bob@example.net>\n"))
    #expect(text.contains("\nCc: Carol <carol@example.net>, dave@example.net\n"))
    #expect(text.contains("\nIn-Reply-To: <page@x>\nReferences: <page@x>\n"))
    #expect(text.contains("\nOn Mon 2024-01-01 10:00, Bob wrote:\n> See www.bank.com"))
    let file = mirror.home + "/answer"
    try writeFile(file, text)
    let sent = try run(
      ["sh", "-c", "exec \"$@\" < \"$0\"", file] + mirror.command(["sendmail", "-t"]),
      environment: mirror.environment)
    #expect(sent.status == 0, "\(sent.summary)")
    let entries = try queued()
    #expect(entries.map(\.subject) == ["Re: page"])
    #expect(
      entries.first?.recipients == ["bob@example.net", "carol@example.net", "dave@example.net"])
  }

  @Test(arguments: ["json", "jsonl"])
  func `what was opened, printed or queued is one JSON object`(format: String) throws {
    func object(_ words: [String], more: [String: String] = [:]) throws -> [String: Any] {
      let outcome = try mirror.run(["--format", format] + words, more: more)
      #expect(outcome.status == 0, "\(outcome.summary)")
      let object = try JSONSerialization.jsonObject(with: Data(outcome.output))
      return try #require(object as? [String: Any], "\(outcome.summary)")
    }
    let opened = try object(["open", "id:page@x"], more: ["BROWSER": "true"])
    let path = try #require(opened["path"] as? String)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("<title>page"))
    let ids = try #require(opened["ids"] as? [Int])
    let reply = try object(["reply", "id:page@x"])
    #expect(reply["id"] as? Int == ids.first && reply["message_id"] as? String == "page@x")
    #expect(reply["template"] as? String == (try mirror.run(["reply", "id:page@x"]).outputText))
    #expect(reply["queued"] is NSNull && reply["template_base64"] is NSNull)
    let left = try object(["reply", "--edit", "id:page@x"], more: ["VISUAL": "true"])
    #expect(left["queued"] is NSNull && left["template"] is NSNull)
    let saved = try object(
      ["forward", "--edit", "id:files@x"],
      more: ["VISUAL": "sed -i 's/^To:/To: eve@example.net/;0,/^$/s//\\n/'"])
    let entry = try #require(saved["queued"] as? [String: Any])
    #expect(entry["account"] as? String == "personal" && entry["id"] is String)
    #expect(try queued().map(\.recipients) == [["eve@example.net"]])
  }

  @Test func `what the editor saves is queued, what it leaves is not`() throws {
    let left = try mirror.run(["reply", "--edit", "id:page@x"], more: ["VISUAL": "true"])
    #expect(left.status == 0, "\(left.summary)")
    #expect(try queued().isEmpty)
    let failed = try mirror.run(["reply", "--edit", "id:page@x"], more: ["VISUAL": "false"])
    #expect(failed.status == 1 && failed.errorText.contains("What you wrote is kept in"))
    let saved = try mirror.run(
      ["forward", "--edit", "id:files@x"],
      more: ["VISUAL": "sed -i 's/^To:/To: eve@example.net/;0,/^$/s//\\n/'"])
    #expect(saved.status == 0, "\(saved.summary)")
    #expect(try queued().map(\.recipients) == [["eve@example.net"]])
  }

  @Test func `what is passed on has its attachments as they were`() throws {
    let text = try mirror.run(["forward", "id:files@x"]).outputText
    #expect(text.contains("\nTo:\nSubject: Fwd: files\nReferences: <files@x>\n"))
    #expect(
      text.contains("\n---------- Forwarded message ----------\nFrom: Bob <bob@example.net>\n"))
    #expect(text.contains("\nHere it is.\n"))
    #expect(
      text.contains(
        "Content-Disposition: attachment; filename=report.pdf\n\nJVBERi0xLjc=\n"))
    let whole = try mirror.run(["forward", "--all", "id:files@x"]).outputText
    #expect(whole.contains("Content-Type: message/rfc822\n"))
    #expect(whole.contains("\nMessage-ID: <files@x>\n"))
  }

  @Test func `pictures and invitations are passed on, other forms of the text are not`() throws {
    try index.deliver(
      message(
        "parts", type: "multipart/mixed; boundary=m",
        "--m\nContent-Type: multipart/alternative; boundary=a\n\n--a\n\nPlain words.\n"
          + "--a\nContent-Type: multipart/related; boundary=r\n\n--r\nContent-Type: text/html\n\n"
          + "<p>Page words.<img src=cid:cat@x>\n--r\nContent-Type: image/gif\nContent-ID: <cat@x>\n"
          + "Content-Transfer-Encoding: base64\n\nR0lGODlhAQ==\n--r--\n"
          + "--a\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n--a--\n--m--"),
      name: "3")
    try index.runSuccessfully("update")
    let text = try mirror.run(["forward", "id:parts@x"]).outputText
    #expect(text.contains("\nPlain words.\n"))
    #expect(
      text.contains(
        "\nContent-Type: image/gif\nContent-ID: <cat@x>\nContent-Transfer-Encoding: base64\n\nR0lGODlhAQ==\n"
      ))
    #expect(text.contains("\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n"))
    #expect(!text.contains("Page words") && text.components(separatedBy: "VCALENDAR").count == 2)
  }

  @Test func `it is told whom Mail-Followup-To puts in the place of others`() throws {
    try index.deliver(
      message("follow", type: "text/plain\nMail-Followup-To: eve@example.org", "Words."), name: "3")
    try index.runSuccessfully("update")
    let all = try mirror.run(["reply", "--all", "id:follow@x"])
    #expect(all.outputText.contains("\nTo: eve@example.org\n"))
    #expect(
      all.errorText.contains(
        "Mail-Followup-To leaves out bob@example.net, carol@example.net, dave@example.net, and adds eve@example.org"
      ), "\(all.summary)")
    let one = try mirror.run(["reply", "id:follow@x"])
    #expect(one.outputText.contains("<bob@example.net>\n") && one.errors.isEmpty)
  }

  @Test func `an answer that goes elsewhere than to the sender says so`() throws {
    try index.deliver(
      message("elsewhere", type: "text/plain\nReply-To: eve@evil.example", "Words."), name: "4")
    try index.runSuccessfully("update")
    let outcome = try mirror.run(["reply", "id:elsewhere@x"])
    #expect(outcome.status == 0 && outcome.outputText.contains("\nTo: eve@evil.example\n"))
    #expect(
      outcome.errorText.contains(
        "The answer goes to eve@evil.example, as the message's Reply-To says, and not to its sender bob@example.net."
      ), "\(outcome.summary)")
  }

  // MARK: A terminal

  @Test(.enabled(if: TerminalScreen.isPossible, "no tmux"))
  func `a terminal gets a pager, colours and read mail folded`() throws {
    for number in 0..<3 {
      let reply = number == 0 ? "" : "References: <t0@x>\n"
      try index.deliver(
        SampleMessage(
          bytes: crlf(
            "From: bob@example.net\nSubject: Thread\nMessage-ID: <t\(number)@x>\n\(reply)"
              + "Date: 1 Feb 2024 1\(number):00:00 +0000\n\nLong words of number \(number).\n"),
          flags: number == 2 ? [] : ["\\Seen"]), name: "t\(number)")
    }
    try index.runSuccessfully("update")
    var environment = index.environment
    environment["PAGER"] = "sed 's/^/P|/'"
    environment["NO_COLOR"] = "1"
    let screen = try TerminalScreen(
      try index.command(["show", "thread:{id:t0@x}"]), environment: environment)
    try screen.expect("[status 0]")
    let lines = try screen.lines.filter { $0.hasPrefix("P|") }
    #expect(lines.contains("P|Long words of number 2."))
    #expect(lines.count { $0.hasPrefix("P|  bob@example.net  Thu 2024-02-01") } == 2)
    #expect(lines.count { $0.hasPrefix("P|From: ") } == 1)
  }
}
