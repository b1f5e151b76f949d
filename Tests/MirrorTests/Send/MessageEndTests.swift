import Foundation
import MailTestKit
import Testing

/// Where a message ends that `sendmail` reads.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct MessageEndTests {
  private let mirror: MirrorProgram

  init() throws {
    var settings = AccountSettings(port: 1, user: "alice")
    settings.imap = "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 1\ntls = \"none\"\n"
    mirror = try MirrorProgram(settings)
  }

  private func queuedText() throws -> String {
    let outcome = try mirror.run(["outbox", "--format", "json"])
    let entries =
      try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]] ?? []
    let id = try #require(entries.first?["id"] as? String, "\(outcome.summary)")
    #expect(entries.count == 1)
    return try mirror.run(["outbox", "show", "--raw", id]).outputText
  }

  @Test(arguments: [[], ["-i"], ["-oi"], ["-t"], ["-oem"]], ["|", "<"])
  func `what a program sends is read to its end, a line of one dot and all`(
    options: [String], way: String
  ) throws {
    let file = mirror.home + "/message"
    try writeFile(file, "Subject: x\nTo: bob@example.org\n\nbefore\n.\nafter\n..\n.\n")
    let script = way == "|" ? "cat \"$0\" | \"$@\"" : "\"$@\" < \"$0\""
    let outcome = try run(
      ["sh", "-c", script, file]
        + mirror.command(["sendmail"] + options + ["bob@example.org"]),
      environment: mirror.environment)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try queuedText().hasSuffix("\n\nbefore\n.\nafter\n..\n.\n"))
  }

  @Test(.enabled(if: TerminalScreen.isPossible), arguments: [[], ["-i"]])
  func `what is typed ends at a line of one dot, unless it may not`(options: [String]) throws {
    let screen = try TerminalScreen(
      mirror.command(["sendmail"] + options + ["bob@example.org"]),
      environment: mirror.environment)
    for line in ["Subject: x", "", "before", "."] { try screen.type(line) }
    if options == ["-i"] {
      try screen.type("after")
      try screen.press("C-d")
    }
    try screen.wait(for: "[status 0]")
    let text = try queuedText()
    #expect(
      text.hasSuffix(options == ["-i"] ? "\n\nbefore\n.\nafter\n" : "\n\nbefore\n"), "\(text)")
  }
}
