import Foundation
import MailTestKit
import Testing

/// Reading asks nobody for anything: not for a name, not for a page, whatever the mail names.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram && QueryRecorder.isPossible))
struct NoQueryTests {
  private let index: IndexProgram
  private let mirror: MirrorProgram
  private let recorder: QueryRecorder
  private let environment: [String: String]

  init() throws {
    index = try IndexProgram()
    var settings = AccountSettings(port: 1, user: "alice@example.org")
    settings.imap = "\n[accounts.personal.smtp]\nhost = \"smtp.probe.example\"\nport = 1\n"
    mirror = try MirrorProgram(settings, root: index.root)
    recorder = try QueryRecorder(home: index.home)
    let page =
      "<link rel=dns-prefetch href=//a.probe.example><link rel=stylesheet href=http://b.probe.example/>"
      + "<img src=http://c.probe.example/x.png><a href=http://d.probe.example/>www.bank.com</a> words"
    try index.deliver(
      SampleMessage(
        bytes: crlf(
          "From: Bob <bob@e.probe.example>\nTo: alice@example.org\nSubject: page\n"
            + "Reply-To: eve@f.probe.example\nMessage-ID: <page@x>\nDate: 1 Jan 2024 10:00:00 +0000\n"
            + "Disposition-Notification-To: bob@g.probe.example\nList-Unsubscribe: <http://h.probe.example/>\n"
            + "DKIM-Signature: v=1; a=rsa-sha256; d=i.probe.example; s=k; bh=AAAA; b=AAAA\n"
            + "MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n\(page)\n")), name: "1")
    try index.runSuccessfully("update")
    let browser = index.home + "/browser"
    try writeFile(browser, "#!/bin/sh\ncp \"$1\" '\(index.home)/opened.html'\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
    var environment = mirror.environment
    environment["BROWSER"] = browser
    environment["XDG_RUNTIME_DIR"] = index.home
    self.environment = environment
  }

  @Test func `the recorder hears whoever asks`() throws {
    _ = try recorder.run(["getent", "hosts", "probe.example"], environment: environment)
    #expect(recorder.queries() > 0)
    #expect(try recorder.packets() > 0)
  }

  @Test func `reading works without a network, and asks nobody`() throws {
    let reading = [
      ["show", "id:page@x"], ["show", "--html", "id:page@x"], ["show", "--thread", "id:page@x"],
      ["show", "--part", "1", "--text", "id:page@x"], ["show", "--format", "json", "id:page@x"],
      ["search", "words"], ["attachments", "id:page@x"], ["update", "--warnings"],
    ]
    for words in reading {
      let outcome = try recorder.run(index.command(words), environment: index.environment)
      #expect(outcome.status == 0, "\(words) \(outcome.summary)")
    }
    for words in reading.dropLast() + [["open", "id:page@x"], ["reply", "--all", "id:page@x"]] {
      let outcome = try recorder.run(mirror.command(words), environment: environment)
      #expect(outcome.status == 0, "\(words) \(outcome.summary)")
    }
    let opened = try String(contentsOfFile: index.home + "/opened.html", encoding: .utf8)
    #expect(opened.contains("1 remote image was not loaded: <bdi>c.probe.example</bdi>."))
    #expect(recorder.queries() == 0)
    #expect(try recorder.packets() == 0)
  }
}
