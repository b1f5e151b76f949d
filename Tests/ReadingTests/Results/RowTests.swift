import Testing

@testable import MailIndex
@testable import Reading

@Suite struct RowTests {
  @Test(arguments: [40, 60, 80, 132, 200])
  func `rows fit the terminal`(columns: Int) {
    let messages = [
      SearchHit.sample(), .sample(from: "日本太郎 <a@b>", subject: String(repeating: "件名", count: 80)),
      .sample(subject: String(repeating: "x", count: 300), keywords: ["work", "later", "日本語"]),
      .sample(subject: "", flags: [], attachments: [.sample()]),
    ]
    for message in messages {
      let line = MessageRow(message).line(on: .terminal(columns))
      #expect(DisplayWidth.columns(of: line) <= columns, "\(line)")
    }
    let thread = ThreadHit(
      id: 29_394_021, account: "a", subject: String(repeating: "long ", count: 60), latestDate: 0,
      messageCount: 120, unreadCount: 12,
      participants: ["Alice", "Bob", "Carol Surname"].map { Participant(name: $0, address: "") },
      snippet: "",
      messages: [])
    #expect(
      DisplayWidth.columns(of: ConversationRow(thread).line(on: .terminal(columns))) <= columns)
  }

  @Test(arguments: [60, 80, 132, 200])
  func `rows with the first words fit the terminal, too`(columns: Int) throws {
    var message = SearchHit.sample(subject: "Tea", flags: [], keywords: ["work"])
    message.snippet = String(repeating: "Shall we meet? ", count: 9) + "\u{1B}"
    let line = MessageRow(message, hasSnippet: true).line(on: .terminal(columns))
    #expect(DisplayWidth.columns(of: line) <= columns && !line.contains("\u{1B}"), "\(line)")
    #expect(columns < 80 || line.contains("Tea  [work] – Shall"))
    #expect(!MessageRow(message).line(on: .terminal(columns)).contains("Shall"))
    let whole = MessageRow(message, hasSnippet: true).line(on: .file)
    #expect(whole.contains("Tea  [work] – Shall") && whole.contains("meet? \\u{1b}"))
    message.snippet = "Tea"
    #expect(MessageRow(message, hasSnippet: true).line(on: .file).hasSuffix("Tea  [work]"))
    let thread = ThreadHit(
      id: 1, account: "a", subject: "Tea", latestDate: 0, messageCount: 2, unreadCount: 1,
      participants: [], snippet: "Shall we meet?", messages: [])
    let row = ConversationRow(thread, hasSnippet: true).line(on: .terminal(columns))
    #expect(DisplayWidth.columns(of: row) <= columns)
    #expect(columns < 80 || row.hasSuffix("Tea – Shall we meet?"))
  }

  @Test func `nothing is cut where there is no terminal`() {
    let subject = String(repeating: "word ", count: 60) + "end"
    let line = MessageRow(.sample(subject: subject, flags: [.flagged], keywords: ["work"]))
      .line(on: .file)
    #expect(line.contains(subject) && line.hasSuffix("[work]"))
    #expect(line.hasPrefix("29394021  2025-11-21 "))
    #expect(line.contains("  N!    Alice Example "))
  }

  @Test func `nothing of a message reaches the terminal as it is`() {
    let evil = "\u{1B}]0;title\u{7}\n\u{202E}"
    let message = SearchHit.sample(
      from: "\(evil) <a@b>", subject: evil, keywords: [evil],
      attachments: [.sample(name: evil, warning: evil)])
    let lines = [
      MessageRow(message).line(on: .terminal(400)), MessageRow(message).line(on: .file),
      message.attachments[0].line(on: .file),
    ]
    for line in lines {
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    }
  }

  @Test func `colours come only when wanted`() {
    #expect(!MessageRow(.sample(flags: [])).line(on: .terminal()).contains("\u{1B}"))
    #expect(MessageRow(.sample(flags: [])).line(on: .terminal(colours: true)).contains("\u{1B}[1m"))
  }

  @Test(arguments: [
    ("Alice <a@b>", "Alice"), ("\"Example, Alice\" <a@b>", "Example, Alice"), ("a@b", "a@b"),
    ("<a@b>", "a@b"), (#""Bob \"B\", Jr" <a@b>"#, #"Bob "B", Jr"#), (#""Doe, Jane""#, "Doe, Jane"),
    ("", ""), ("  <a@b>", "a@b"),
  ])
  func `a person is called by name`(sender: String, name: String) {
    #expect(PersonName.short(sender) == name)
  }

  @Test func `flags have words and marks`() {
    let flags: IndexFlags = [.seen, .replied, .flagged, .draft, .trashed, .passed]
    #expect(flags.words == ["seen", "replied", "flagged", "draft", "trashed", "passed"])
    #expect(IndexFlags([]).marks(hasAttachments: true) == "N  @")
    #expect(IndexFlags([.seen, .replied, .flagged]).marks(hasAttachments: false) == " !r ")
  }

  @Test func `a message in JSON has the keys that are promised`() {
    #expect(
      SearchHit.sample().members(root: "/m").map(\.key) == [
        "id", "message_id", "thread_id", "account", "date", "from", "to", "subject", "snippet",
        "flags",
        "keywords", "folders", "paths", "attachments",
      ])
  }

  @Test func `a conversation in JSON has the keys that are promised`() {
    let thread = ThreadHit(
      id: 1, account: "a", subject: "s", latestDate: 0, messageCount: 2, unreadCount: 1,
      participants: [
        Participant(name: "Ann", address: "ann@x"), Participant(name: "", address: "bob@x"),
      ], snippet: "x",
      messages: [ThreadMember(id: 1, messageID: "a@b"), ThreadMember(id: 2, messageID: nil)])
    #expect(
      thread.json.text
        == #"{"id": 1, "account": "a", "subject": "s", "latest_date": "1970-01-01T00:00:00Z", "#
        + #""message_count": 2, "unread_count": 1, "participants": "#
        + #"[{"name": "Ann", "address": "ann@x"}, {"name": "", "address": "bob@x"}], "#
        + #""snippet": "x", "message_ids": ["a@b", null]}"#)
  }

  @Test func `a dangerous attachment is named in words`() {
    let line = FoundAttachment.sample(name: "a.exe", warning: "windows-executable").line(on: .file)
    #expect(line == "[2] a.exe, application/pdf, 12 kB  ! Windows executable")
  }
}
