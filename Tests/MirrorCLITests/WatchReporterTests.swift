import CLISupport
import Foundation
import IMAPWire
import MailCore
import Outbox
import Settings
import SyncPlan
import Testing
import Transport
import WatchPlan

@testable import MirrorCLI

@Suite struct WatchReporterTests {
  private let output = MemoryStream()
  private let errors = MemoryStream()
  private let now = Moment(milliseconds: 0)

  private func reporter(_ arguments: [String]) throws -> WatchReporter {
    WatchReporter(
      report: Report(
        program: "mirror", options: try CommonOptions.parse(arguments),
        console: Console(output: output, errors: errors), environment: [:]),
      status: WatchStatusFile())
  }

  @Test func `a problem is told once until a run went well`() throws {
    let reporter = try reporter([])
    let problem = RunProblem(problem: "The server is not there.", exitStatus: .unreachable)
    reporter.noticed(problem, account: "personal")
    reporter.noticed(problem, account: "personal")
    #expect(errors.lines == ["personal: The server is not there."])
    reporter.wentWell("work")
    reporter.noticed(problem, account: "personal")
    #expect(errors.lines.count == 1)
    reporter.wentWell("personal")
    reporter.noticed(problem, account: "personal")
    #expect(errors.lines.count == 2)
  }

  @Test func `a refusal that was met again at another time is no news`() throws {
    let reporter = try reporter([])
    for time in ["2026-11-28T22:36:00Z", "2026-11-28T22:41:52Z"] {
      reporter.tell("personal", "The server refused the log-in of me (\(time)): no.", nil)
    }
    #expect(errors.lines.count == 1)
  }

  @Test func `that a server lets in no run beside the line is told once of both`() throws {
    let reporter = try reporter([])
    var summary = PullSummary(account: "personal")
    summary.problems = [RunProblem(IMAPError.loginUnavailable("full"))]
    summary.isCrowded = true
    reporter.ended(summary)
    reporter.wentWell("personal")
    let words = IMAPError.loginUnavailable("full").explanation
    reporter.tell("personal", words.problem, words.lastingRemedy, of: .line)
    #expect(errors.lines.count == 1)
  }

  @Test func `a problem of the queue is told once until a send went well`() throws {
    let reporter = try reporter([])
    var summary = OutboxSummary(account: "personal")
    summary.add(Explanation(problem: "One may have been sent or not.", exitStatus: .inPart))
    reporter.ended(summary, of: .queue)
    reporter.wentWell("personal")
    reporter.ended(summary, of: .queue)
    #expect(errors.lines.count == 1)
    reporter.ended(OutboxSummary(account: "personal"), of: .queue)
    reporter.ended(summary, of: .queue)
    #expect(errors.lines.count == 2)
  }

  @Test func `a copy that is not filed is told once, however many messages leave meanwhile`() throws
  {
    let reporter = try reporter([])
    var copies = OutboxSummary(account: "personal")
    copies.add(Explanation(problem: "APPEND was refused.", exitStatus: .inPart), ofCopies: true)
    for _ in 0..<2 {
      reporter.ended(OutboxSummary(account: "personal"), of: .queue)
      reporter.ended(copies, of: .copies)
    }
    #expect(errors.lines.count == 1)
    reporter.ended(OutboxSummary(account: "personal"), of: .copies)
    reporter.ended(copies, of: .copies)
    #expect(errors.lines.count == 2)
  }

  @Test func `advice to run something again is left out where a watch does that by itself`() throws
  {
    let reporter = try reporter([])
    let place = Endpoint(host: "h", port: 1)
    reporter.noticed(RunProblem(IMAPError.connectionLost), account: "a")
    reporter.noticed(RunProblem(TransportError.timedOut(.writing, place)), account: "a")
    var summary = OutboxSummary(account: "a")
    summary.add(
      Explanation(
        problem: "The mail server closed the connection.", again: "Run `mirror push` again.",
        exitStatus: .unreachable))
    reporter.ended(summary, of: .queue)
    #expect(
      errors.lines == [
        "a: The server closed the connection.",
        "a: h:1 took too long: no answer while sending. "
          + "If that never helps, check `host`, `port`, and that no firewall is in between.",
        "a: The mail server closed the connection.",
      ])
    #expect(
      IMAPError.connectionLost.explanation.remedy
        == "Run the command again; what was done is kept.")
  }

  @Test func `one line's crowd is told once, whatever runs bring`() throws {
    let reporter = try reporter([])
    for _ in 0..<2 {
      reporter.tell("a", "The server takes no further connection.", nil, of: .line)
      reporter.wentWell("a")
      reporter.stands(.listening(.poll), "a", now: now)
    }
    #expect(errors.lines.count == 1)
    reporter.stands(.listening(.idle), "a", now: now)
    reporter.tell("a", "The server takes no further connection.", nil, of: .line)
    #expect(errors.lines.count == 2)
  }

  @Test func `what keeps line and runs from their work alike is told once`() throws {
    let reporter = try reporter([])
    for lane in [WatchReporter.Lane.runs, .line, .copies] {
      reporter.tell("a", "The server is not there.", nil, of: lane)
    }
    reporter.wentWell("a")
    reporter.tell("a", "The server is not there.", nil)
    #expect(errors.lines.count == 1)
    for lane in [WatchReporter.Lane.runs, .line, .copies] { reporter.wentWell("a", lane) }
    reporter.tell("a", "The server is not there.", nil)
    #expect(errors.lines.count == 2)
  }

  @Test func `who stopped the watch is not told that it stopped`() throws {
    let reporter = try reporter([])
    reporter.noticed(RunProblem(problem: "Stopped.", exitStatus: .interrupted), account: "a")
    var summary = OutboxSummary(account: "a")
    summary.add(Explanation(problem: "Interrupted.", exitStatus: .interrupted))
    reporter.ended(summary, of: .queue)
    #expect(errors.lines == [])
  }

  @Test func `states are lines of JSON, each once`() throws {
    let reporter = try reporter(["--format", "jsonl"])
    reporter.stands(.connecting, "a", now: now)
    reporter.entered(.connecting, account: "a")
    reporter.entered(.authenticating, account: "a")
    reporter.stands(.listening(.notify), "a", now: now)
    reporter.stands(.working, "a", now: now)
    reporter.entered(.idle, account: "a")
    reporter.stands(.listening(.notify), "a", now: now)
    reporter.stands(.refused, "a", now: now)
    #expect(
      output.lines == [
        #"{"account":"a","event":"state","state":"connecting"}"#,
        #"{"account":"a","event":"state","state":"authenticating"}"#,
        #"{"account":"a","by":"notify","event":"state","state":"listening"}"#,
        #"{"account":"a","event":"state","state":"refused"}"#,
      ])
  }

  @Test func `a retry says when it comes`() throws {
    let reporter = try reporter(["--format", "jsonl"])
    reporter.stands(.retrying(at: now + .seconds(60)), "a", now: now)
    #expect(output.text.contains(#""retry":"#))
    #expect(output.text.contains(#""state":"retry-scheduled""#))
  }

  @Test func `the service manager has one line for all accounts`() throws {
    let reporter = try reporter([])
    reporter.stands(.listening(.idle), "b", now: now)
    reporter.stands(.treeGone, "a", now: now)
    #expect(reporter.overview == "a: the tree is gone, b: watching (IDLE)")
  }

  @Test func `only what cannot pass ends an account's work`() {
    let place = Endpoint(host: "h", port: 1)
    #expect(LineEnd(IMAPError.loginRefused("no")) == .refused)
    #expect(LineEnd(IMAPError.throttled(seconds: nil, "limit")) == .crowded)
    #expect(LineEnd(IMAPError.loginUnavailable("too many")) == .crowded)
    #expect(LineEnd(TransportError.notTLS(place)) == .lost)
    #expect(LineEnd(SettingsError.commandFailed(program: "p", reason: "r", words: "")) == .lost)
  }

  @Test func `a run that failed because the tree is gone says so, however it failed`() {
    for status: Int32 in [1, 77, 78, 130] {
      let lost = RunResult(status, isLogInRefused: false, treeIsThere: false)
      #expect(lost == .treeGone)
    }
    #expect(RunResult(78, isLogInRefused: false, treeIsThere: true) == .misconfigured)
    #expect(RunResult(77, isLogInRefused: true, treeIsThere: true) == .refused)
    #expect(RunResult(77, isLogInRefused: false, treeIsThere: true) == .inPart)
    #expect(
      RunResult(69, isLogInRefused: false, isCrowded: true, treeIsThere: true) == .crowded)
    #expect(RunResult(0, isLogInRefused: false, treeIsThere: false) == .done)
  }

  @Test func `words of a watch come back from its file`() throws {
    var words = WatchWords(since: Date(timeIntervalSince1970: 1_700_000_000))
    (words.state, words.by) = ("listening", .notify)
    #expect(WatchWords(text: words.text) == words)
    #expect(WatchWords(text: "12345\n") == nil)
  }
}
