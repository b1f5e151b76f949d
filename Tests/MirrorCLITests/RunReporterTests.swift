import CLISupport
import Foundation
import MailCore
import Sync
import SyncPlan
import Testing

@testable import MirrorCLI

@Suite struct RunReporterTests {
  private let output = MemoryStream()
  private let errors = MemoryStream()

  private func reporter(_ arguments: [String], forced: Bool = false) throws -> RunReporter {
    RunReporter(
      report: Report(
        program: "mirror", options: try CommonOptions.parse(arguments),
        console: Console(output: output, errors: errors), environment: [:]),
      isForced: forced)
  }

  private func run(_ reporter: RunReporter, account: String = "personal") {
    var summary = PullSummary(account: account)
    var outcome = MailboxOutcome(mailbox: "INBOX\u{9B}31m")
    outcome.new = 100
    summary.add(outcome)
    reporter.entered(.connecting, account: account)
    for count in stride(from: 0, through: 100, by: 10) {
      reporter.progressed(
        MailboxProgress(mailbox: "INBOX", messages: count, messagesExpected: 100, bytes: 7),
        account: account)
    }
    let problem = RunProblem(
      mailbox: "Junk\u{1B}[2J", uid: 7, problem: "It\u{1B}[0m failed.", remedy: "Pull again.")
    reporter.noticed(problem, account: account)
    summary.add(problem)
    summary.add(RunProblem(problem: "The disk is full.", exitStatus: .inPart))
    summary.add(RunProblem(mailbox: "A", problem: "Renamed.", exitStatus: .done))
    reporter.ended(summary)
    reporter.end()
  }

  @Test func `without a terminal there is the summary, and each problem once`() throws {
    run(try reporter([]))
    #expect(output.lines.count == 1)
    #expect(output.text.hasPrefix("personal: 100 new, "))
    #expect(
      errors.lines == [
        "personal/Junk\\u{1b}[2J, UID 7: It\\u{1b}[0m failed. Pull again.",
        "personal: The disk is full.", "personal/A: Renamed.",
      ])
  }

  @Test func `quiet leaves the problems`() throws {
    run(try reporter(["-q"], forced: true))
    #expect(output.text.isEmpty)
    #expect(errors.lines.count == 2)
  }

  @Test func `-v adds a line for each mailbox, with nothing that drives the terminal`() throws {
    run(try reporter(["-v"]))
    #expect(output.lines.first == "personal/INBOX\\u{9b}31m: 100 new")
    #expect(output.lines.count == 2)
  }

  @Test func `progress without a terminal is plain lines on standard error`() throws {
    run(try reporter([], forced: true))
    #expect(errors.lines.contains("personal: connecting"))
    #expect(errors.lines.contains { $0.hasPrefix("personal/INBOX  100 of 100") })
    #expect(output.lines.count == 1)
  }

  @Test func `jsonl has events with --progress and one line for the account without`() throws {
    run(try reporter(["--format", "jsonl"]))
    #expect(output.lines.count == 1)
    run(try reporter(["--format", "jsonl"], forced: true), account: "work")
    let objects = try output.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let events = objects.compactMap { $0["event"] as? String }
    #expect(events.count == objects.count)
    #expect(events.prefix(2) == ["pulled", "stage"] && events.last == "pulled")
    #expect(events.filter { $0 == "progress" }.count >= 1)
    #expect(objects.last?["exit_status"] as? Int == 1)
    #expect(objects.last?["mailboxes_changed"] as? Int == 1)
    let last = objects.last { $0["event"] as? String == "progress" }
    #expect(last?["messages"] as? Int == 100)
    #expect(last?["messages_expected"] as? Int == 100)
  }

  @Test func `a push's line of jsonl has the keys that watch has for it, and its own`() throws {
    var tree = PushSummary(account: "personal")
    tree.uploaded = 3
    let reporter = try reporter(["--format", "jsonl"])
    reporter.ended(WholePush.Summary(tree: tree, queue: nil))
    let line = try #require(output.lines.first)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["event"] as? String == "pushed" && object?["sent"] as? Int == 3)
    #expect(object?["uploaded"] as? Int == 3 && object?["exit_status"] as? Int == 0)
    for key in ["account", "marked", "moved", "deleted"] { #expect(object?[key] != nil) }
  }
}
