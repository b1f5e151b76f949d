import Foundation
import MailTestKit
import Testing

/// 10 MiB of a message's text are read and indexed, and what is cut is said.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct LongTextTests {
  private func message(_ token: String, _ type: String, _ body: String) -> SampleMessage {
    SampleMessage(
      bytes: crlf(
        """
        From: Alice <alice@example.org>
        Subject: \(token)
        Message-ID: <\(token)@example.org>
        MIME-Version: 1.0
        Content-Type: \(type)

        \(body)

        """))
  }

  private func lines(_ megabytes: Int, _ before: String = "", _ after: String = "") -> String {
    let line = before + String(repeating: "lorem ", count: 12) + after + "\n"
    return String(repeating: line, count: megabytes << 20 / line.utf8.count + 1)
  }

  @Test func `text and pages of some MiB are whole, those of more are cut, and that is said`()
    throws
  {
    let scenario = try Scenario()
    func page(_ megabytes: Int) -> String {
      "<html><body>\(lines(megabytes, "<p>", "</p>"))<p>lastword</p></body></html>"
    }
    let deep = String(repeating: "<div>", count: 3000) + lines(3) + "<p>lastword</p>"
    let long = [
      message("plain3", "text/plain", lines(3) + "lastword"),
      message("page3", "text/html", page(3)),
      message("deep3", "text/html", deep),
      message("plain11", "text/plain", lines(11) + "lastword"),
      message("page14", "text/html", page(14)),
    ]
    try scenario.client.append(long, to: "INBOX")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let found = try scenario.mirror.run(["search", "lastword", "--format", "json"])
    for token in ["plain3", "page3", "deep3"] {
      #expect(found.outputText.contains("\(token)@example.org"), "\(token) is not found")
      for format in [["--html"], ["--format", "json"], []] {
        let shown = try scenario.mirror.run(["show"] + format + ["id:\(token)@example.org"])
        #expect(shown.status == 0 && shown.outputText.contains("lastword"), "\(token) \(format)")
        #expect(!shown.outputText.contains("The text is longer"), "\(token) \(format)")
      }
    }
    for token in ["plain11", "page14"] {
      #expect(!found.outputText.contains("\(token)@example.org"), "\(token) is indexed to 10 MiB")
      let id = "id:\(token)@example.org"
      let shown = try scenario.mirror.run(["show", id])
      #expect(!shown.outputText.contains("lastword"), "\(token)")
      #expect(
        (shown.outputText + shown.errorText).suffix(400).contains("longer"), "\(token) is cut")
      let json = try scenario.mirror.run(["show", "--format", "json", id])
      #expect(json.outputText.contains("\"text_cut\": true"), "\(token)")
      let html = try scenario.mirror.run(["show", "--html", id])
      #expect(
        html.outputText.contains("lastword") != html.outputText.contains("The text is longer"),
        "\(token)")
    }
  }

  @Test func `lists of one line a message carry the first words where that is asked for`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    for command in ["search", "threads"] {
      let plain = try scenario.mirror.run([command, SampleMessage.query("m0")])
      #expect(plain.status == 0 && !plain.outputText.contains("Hello."), "\(plain.summary)")
      let told = try scenario.mirror.run([command, "--snippet", SampleMessage.query("m0")])
      #expect(told.outputText.contains("Test m0 – Hello."), "\(told.summary)")
      #expect(told.outputText.split(separator: "\n").count == 1, "\(told.summary)")
    }
  }

  @Test func `an export that is only tried says what would be`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let path = scenario.mirror.home + "/all.mbox"
    let tried = try scenario.mirror.run(["export", "--mbox", path, "--dry-run", "*"])
    #expect(tried.outputText.contains("2 messages would be in "), "\(tried.summary)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
