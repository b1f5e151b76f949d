import Foundation
import MailTestKit
import Testing

/// `contrib/hooks/notify-new-mail`, with a stand-in for notify-send.
@Suite(.enabled(if: findProgram("jq") != nil)) struct NotifyHookTests {
  /// What each notice said, without the program's options.
  private func notices(_ lines: [String]) throws -> [[String]] {
    let place = try TemporaryDirectory("notify")
    let (said, program) = (place.path + "/said", place.path + "/notify-send")
    try writeFile(
      program, "#!/bin/sh\nprintf '%s\\0' \"$@\" >>\(said)\nprintf '\\n\\0' >>\(said)\n")
    try #require(chmod(program, 0o755) == 0)
    try writeFile(place.path + "/lines", lines.joined(separator: "\n") + "\n")
    try runSuccessfully(
      ["sh", "-c", "\(ReaderBed.contrib)/hooks/notify-new-mail <\(place.path)/lines"],
      environment: ["PATH": place.path + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
    let text = String(decoding: (try? readFile(said)) ?? [], as: UTF8.self)
    return text.components(separatedBy: "\0").split(separator: "\n").map { words in
      words.drop { $0 != "--" }.dropFirst().map { $0 }
    }.filter { !$0.isEmpty }
  }

  private func line(
    _ subject: String, from: String = "Alice <alice@example.org>", mailbox: String = "INBOX",
    unread: Bool = true
  ) throws -> String {
    let fields: [String: Any] = [
      "event": "arrived", "account": "personal", "mailbox": mailbox, "subject": subject,
      "from": from, "unread": unread,
    ]
    return String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
  }

  @Test func `a message is shown with its sender, as text and no markup`() throws {
    #expect(
      try notices([line("<b>Q&A</b>\nx")]) == [["Alice", "&lt;b&gt;Q&amp;A&lt;/b&gt; x"]])
  }

  @Test func `a burst is one notice`() throws {
    let burst = try (1...5).map { try line("s\($0)") }
    #expect(
      try notices(burst)
        == [["5 new messages (personal)", "Alice: s1\nAlice: s2\nAlice: s3\nand 2 more"]])
  }

  @Test func `what was read, or lies elsewhere, is no news`() throws {
    #expect(try notices([line("read", unread: false), line("list", mailbox: "Lists")]) == [])
  }
}
