import Foundation
import MailTestKit
import Testing

/// What is told before anything is done: `status`, `sync --dry-run`; and what `verify` says between a push and a pull.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct PendingTests {
  private func scenario(_ count: Int = 6) throws -> (Scenario, Reader) {
    let scenario = try Scenario()
    try scenario.client.create("Work")
    try scenario.append((0..<count).map { "m\($0)" })
    try scenario.append(["w0", "w1"], to: "Work")
    try scenario.pull()
    return (scenario, Reader(scenario.mirror))
  }

  private func makeFolder(_ name: String, _ scenario: Scenario) throws {
    for part in ["tmp", "new", "cur"] {
      try makeDirectory("\(scenario.mirror.account)/\(name)/\(part)", mode: 0o700)
    }
  }

  private func json(_ outcome: Outcome) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(outcome.output))
  }

  private func pending(_ scenario: Scenario) throws -> [String: Int] {
    let all = try json(scenario.mirror.run(["status", "--format", "json"])) as? [String: Any]
    let account = all?["personal"] as? [String: Any]
    return try #require(account?["pending"] as? [String: Int])
  }

  // MARK: Status

  @Test func `a status shows folders to make and to rename, and edits that no push takes along`()
    throws
  {
    let (scenario, reader) = try scenario()
    try makeFolder("Projects", scenario)
    try FileManager.default.moveItem(
      atPath: scenario.mirror.account + "/Work", toPath: scenario.mirror.account + "/Job")
    let edited = try #require(try scenario.local("m5@"))
    try reader.rewrite(edited, edited.raw + Array("one more line\n".utf8))
    let text = try scenario.mirror.run(["status"]).outputText
    #expect(
      text.contains("  waiting for a push: 1 renamed folder, 1 new folder\n"), "\(text)")
    #expect(
      text.contains("  edited here, and no draft, so on this side only: 1 message\n"), "\(text)")
    let pending = try pending(scenario)
    #expect(pending["renames"] == 1 && pending["creations"] == 1 && pending["edits"] == 1)
    #expect(pending["uploads"] == 0 && pending["moves"] == 0, "\(pending)")
  }

  @Test func `a copy is called one before the push and in what the push did`() throws {
    let (scenario, reader) = try scenario()
    let message = try #require(try scenario.local("m0@"))
    try reader.deliver(message.raw, name: "17.1_2.host", to: "Work", flags: "")
    try reader.deliver(
      SampleMessage(token: "fresh").bytes.filter { $0 != 13 }, name: "17.1_3.host", to: "Work")
    let text = try scenario.mirror.run(["status"]).outputText
    #expect(text.contains("  waiting for a push: 1 copy, 1 upload\n"), "\(text)")
    let pending = try pending(scenario)
    #expect(pending["copies"] == 1 && pending["uploads"] == 1, "\(pending)")
    let pushed = try json(scenario.push(0, "--format", "json")) as? [[String: Any]]
    #expect(pushed?.first?["copied"] as? Int == 1 && pushed?.first?["uploaded"] as? Int == 1)
    #expect(scenario.appends.count == 1)
    let settled = try scenario.mirror.run(["status"]).outputText
    #expect(!settled.contains("waiting for a push"), "\(settled)")
  }

  // MARK: Sync

  @Test func `a dry run of sync says what the push and then the pull would do, and does nothing`()
    throws
  {
    let (scenario, reader) = try scenario()
    try reader.setFlags(#require(try scenario.local("m0@")), "F")
    try scenario.append(["fresh"])
    let before = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    scenario.proxy.forget()
    let outcome = try scenario.mirror.run(["sync", "--dry-run"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let lines = outcome.outputText.split(separator: "\n")
    let heads = [
      "personal/INBOX: +flagged on 1 message", "personal: dry run: 1 marked",
      "personal/INBOX: 1 new", "personal: dry run: 1 new",
    ]
    #expect(lines.count == heads.count, "\(outcome.outputText)")
    for (line, head) in zip(lines, heads) {
      #expect(line.hasPrefix(head), "\(outcome.outputText)")
    }
    #expect(scenario.proxy.changingCommands == [] && scenario.bodyFetches == [])
    let after = TreeSnapshot(scenario.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [])
    #expect(!exists(scenario.mirror.root + "/.mirror/index.db"), "no index is made")
    let summaries =
      try json(
        scenario.mirror.run(["sync", "--dry-run", "--format", "json"])) as? [[String: Any]]
    for part in ["push", "pull"] {
      let summary = summaries?.first?[part] as? [String: Any]
      #expect(summary?["dry_run"] as? Bool == true, "\(part)")
    }
    try scenario.push()
    #expect(scenario.proxy.commands(named: ["STORE"]).count == 1)
  }

  @Test func `a dry run of sync ends as the push would that holds deletions back`() throws {
    let (scenario, reader) = try scenario(30)
    for message in try scenario.mirror.tree()["INBOX"] { try reader.remove(message) }
    let held = try scenario.mirror.run(["sync", "--dry-run"])
    #expect(held.status == 1, "\(held.summary)")
    #expect(held.errorText.contains("--allow-mass-delete"), "\(held.errorText)")
    let allowed = try scenario.mirror.run(["sync", "--dry-run", "--allow-mass-delete"])
    #expect(allowed.status == 0, "\(allowed.summary)")
    #expect(allowed.outputText.contains("move 30 messages to the trash"))
    #expect(try scenario.client.uids(in: "INBOX").count == 30)
  }

  @Test func `the first sync of an account only pulls, which is no mistake`() throws {
    let scenario = try Scenario()
    try scenario.append(["one"])
    let rehearsed = try scenario.mirror.run(["sync", "--dry-run"])
    #expect(rehearsed.status == 0 && rehearsed.errors == [], "\(rehearsed.summary)")
    #expect(rehearsed.outputText.contains("personal: dry run: 1 new"), "\(rehearsed.summary)")
    let outcome = try scenario.mirror.run(["sync", "--no-index"])
    #expect(outcome.status == 0 && outcome.errors == [], "\(outcome.summary)")
    #expect(try scenario.local("one@") != nil)
    #expect(scenario.proxy.changingCommands == [])
  }

  // MARK: Verify

  @Test func `a mailbox that a push made is not pulled yet, and not renumbered`() throws {
    let (scenario, _) = try scenario()
    try makeFolder("Projects", scenario)
    try scenario.push()
    let fresh = try scenario.mirror.run(["verify"])
    #expect(fresh.status == 0, "\(fresh.summary)")
    #expect(fresh.errorText.contains("personal/Projects: Not pulled yet."), "\(fresh.summary)")
    // Another client fills it.
    try scenario.append(["theirs"], to: "Projects")
    let filled = try scenario.mirror.run(["verify"])
    #expect(filled.status == 1, "\(filled.summary)")
    #expect(filled.errorText.contains("personal/Projects: Not pulled yet."), "\(filled.summary)")
    try scenario.pull()
    let pulled = try scenario.mirror.run(["verify"])
    #expect(pulled.status == 0 && !pulled.summary.contains("Projects"), "\(pulled.summary)")
  }

  @Test func `one message is told of as one`() throws {
    let (scenario, reader) = try scenario()
    let client = scenario.client
    try client.create("Single")
    try scenario.append(["s0"], to: "Single")
    try scenario.pull()
    removeTree(scenario.mirror.account + "/Single")
    let outcome = try scenario.mirror.run(["push", "--dry-run"])
    #expect(
      outcome.errorText.contains("The folder is gone, with 1 message:"), "\(outcome.summary)")
    try reader.deliver(
      try #require(try scenario.local("m0@")).raw, name: "17.1_2.host", to: "INBOX")
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.summary.contains("1 file here "), "\(verified.summary)")
  }

  @Test func `each account of a sync is one line`() throws {
    let (scenario, reader) = try scenario(2)
    try reader.setFlags(#require(try scenario.local("m0@")), "F")
    let outcome = try scenario.mirror.run(["sync", "--no-index", "--format", "jsonl"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let lines = outcome.outputText.split(separator: "\n")
    #expect(lines.count == 1, "\(outcome.outputText)")
    let summary =
      try JSONSerialization.jsonObject(with: Data(lines.joined().utf8)) as? [String: Any]
    #expect(summary?["account"] as? String == "personal")
    #expect((summary?["push"] as? [String: Any])?["marked"] as? Int == 1)
    #expect((summary?["pull"] as? [String: Any])?["exit_status"] as? Int == 0)
  }

  /// A run that changes nothing leaves no record, and is told all the same.
  @Test func `status tells how the last run ended, also where it changed nothing`() throws {
    let (scenario, _) = try scenario(2)
    func last() throws -> (status: Int?, ended: String?, text: String) {
      let whole = try json(scenario.mirror.run(["status", "--format", "json"])) as? [String: Any]
      let account = whole?["personal"] as? [String: Any]
      let run = account?["last_run"] as? [String: Any]
      let text = try scenario.mirror.run(["status"]).outputText
      return (run?["exit_status"] as? Int, run?["ended"] as? String, text)
    }
    #expect(try last().status == 0)
    usleep(1_100_000)
    try scenario.mirror.configure { $0.port = 1 }
    #expect(try scenario.mirror.run(["pull"]).status == 69)
    let failed = try last()
    #expect(failed.status == 69 && failed.ended != nil)
    #expect(failed.text.contains("server unreachable"), "\(failed.text)")
    let doctor = try scenario.mirror.run(["doctor"])
    #expect(doctor.outputText.contains("with exit status 69"), "\(doctor.summary)")
    // A push of nothing asks nobody, and did all there was to do.
    usleep(1_100_000)
    try scenario.push()
    #expect(try last().status == 0)
  }

  @Test func `status tells what the server refused to take`() throws {
    let stage = try PushStage(.modern, count: 1)
    stage.refusals.value = [("APPEND", "", "NO [OVERQUOTA] the mailbox is full")]
    try stage.deliver("fresh", to: "INBOX")
    try stage.push(1)
    let status = try stage.mirror.run(["status"])
    #expect(
      status.outputText.contains("refused 1 new message (the mailbox is full)"),
      "\(status.summary)")
    stage.refusals.value = []
    try stage.push()
    #expect(try !stage.mirror.run(["status"]).outputText.contains("refused"))
  }
}
