import Foundation
import MailTestKit
import Testing

/// `mirror-index attachments --save` and `--open` as a person meets them.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct AttachmentRunTests {
  private let index: IndexProgram

  init() throws {
    index = try IndexProgram()
    try index.deliver(message("good", "report.pdf", "%PDF-1.7 words"), name: "1")
    try index.deliver(message("bad", "setup.exe", "MZ words"), name: "2")
    try index.deliver(message("liar", "invoice.pdf", "<html><script>x</script>"), name: "3")
    try index.runSuccessfully("update")
  }

  private func message(_ subject: String, _ name: String, _ content: String) -> SampleMessage {
    SampleMessage(
      bytes: crlf(
        "From: a@example.org\nSubject: \(subject)\nMessage-ID: <\(subject)@x>\n"
          + "Date: 1 Jan 2024 10:00:00 +0000\nMIME-Version: 1.0\n"
          + "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHere.\n--b\n"
          + "Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n"
          + "Content-Disposition: attachment; filename=\(name)\n\n"
          + Data(content.utf8).base64EncodedString() + "\n--b--\n"))
  }

  /// A desktop that writes down what it opens.
  private func environment(_ status: Int = 0) throws -> [String: String] {
    let bin = index.home + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try writeFile(
      bin + "/xdg-open",
      "#!/bin/sh\ncat \"$1\" >>\(index.home)/opened\nls -ld \"$(dirname \"$1\")\" >>\(index.home)/place\nexit \(status)\n"
    )
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: bin + "/xdg-open")
    var environment = index.environment
    environment["PATH"] = bin + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    environment["XDG_RUNTIME_DIR"] = index.home
    return environment
  }

  private func open(_ words: String..., status: Int = 0) throws -> Outcome {
    try run(
      try index.command(["attachments", "--open"] + words), environment: try environment(status))
  }

  private func text(_ name: String) -> String? {
    try? String(contentsOfFile: index.home + "/" + name, encoding: .utf8)
  }

  @Test func `what is what it says is opened from a place of one's own`() throws {
    let outcome = try open("subject:good")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.summary)")
    #expect(text("opened") == "%PDF-1.7 words")
    #expect(text("place")?.hasPrefix("drwx------") == true)
  }

  @Test func `a page is opened as one in which nothing runs`() throws {
    try index.deliver(
      message("page", "offer.html", "<html><script>x</script><p>Words.</p>"), name: "4")
    try index.deliver(message("drawing", "a.svg", "<svg onload='x'></svg>"), name: "5")
    try index.runSuccessfully("update")
    let outcome = try open("subject:page")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.summary)")
    let page = try #require(text("opened"))
    #expect(page.contains("<p>Words.</p>") && page.contains("Content-Security-Policy"))
    #expect(!page.contains("<script"))
    #expect(try open("subject:drawing").status == 65)
  }

  @Test(arguments: ["bad", "liar"])
  func `what runs or lies is not opened`(subject: String) throws {
    let outcome = try open("subject:" + subject)
    #expect(
      outcome.status == 65 && outcome.errorText.contains("was not opened"), "\(outcome.summary)")
    #expect(text("opened") == nil)
  }

  @Test(.enabled(if: TerminalScreen.isPossible), arguments: [("y", true), ("", false)])
  func `a terminal is asked before what is on no list is opened`(answer: String, isOpened: Bool)
    throws
  {
    try index.deliver(message("model", "part.blend", "BLENDER words"), name: "6")
    try index.runSuccessfully("update")
    #expect(try open("subject:model").status == 65 && text("opened") == nil)
    let screen = try TerminalScreen(
      try index.command(["attachments", "--open", "subject:model"]), environment: environment())
    try screen.expect("“part.blend” (text) is none of the kinds that only show something. Open it?")
    try screen.type(answer)
    #expect(try screen.status() == (isOpened ? 0 : 65))
    #expect(text("opened") == (isOpened ? "BLENDER words" : nil))
  }

  @Test func `several are none, and a desktop's refusal is told`() throws {
    #expect(try open("*").status == 64)
    #expect(try open("subject:nothing").status == 1)
    let refused = try open("subject:good", status: 3)
    #expect(refused.status == 1 && refused.errorText.contains("ended with 3"))
  }

  @Test(.enabled(if: TerminalScreen.isPossible), arguments: [("y", true), ("", false)])
  func `a terminal is asked before a program is saved`(answer: String, isSaved: Bool) throws {
    let out = index.home + "/out"
    let screen = try TerminalScreen(
      try index.command(["attachments", "--save", out, "*"]), environment: index.environment)
    try screen.expect("“setup.exe” may do harm (Windows executable). Save it? [y/N]")
    try screen.type(answer)
    #expect(try screen.status() == 0)
    let expected = ["invoice.pdf", "report.pdf"] + (isSaved ? ["setup.exe"] : [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: out).sorted() == expected)
  }

  @Test func `nobody is asked where nobody sits`() throws {
    let out = index.home + "/out"
    let outcome = try index.runSuccessfully("attachments", "--save", out, "*")
    #expect(outcome.outputText.contains("setup.exe  ! Windows executable"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: out).count == 3)
  }
}
