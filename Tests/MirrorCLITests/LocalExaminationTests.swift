import CLISupport
import Foundation
import MailCore
import SyncPlan
import Testing

@testable import MirrorCLI
@testable import Sync

/// What `doctor` finds on this machine: tree, state, index, other tools.
@Suite struct LocalExaminationTests {
  private func temporary() throws -> String {
    let path = NSTemporaryDirectory() + "/doctor-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  @Test(arguments: [
    (".mbsyncrc", "Path ~/Mail/", 1), (".mbsyncrc", "# Path ~/Mail/", 0),
    (".mbsyncrc", "Path ~/Mailbox/", 0), (".config/isyncrc", "Inbox \"HOME/Mail/INBOX\"", 1),
    (".offlineimaprc", "localfolders = HOME/Mail", 1),
    (".config/offlineimap/config", "localfolders = ~/Other", 0),
    (".offlineimap/x", "", 1), (".mbsync/x", "", 1),
  ])
  func `other tools that sync the tree are found by their configurations`(
    file: String, text: String, count: Int
  ) throws {
    let home = try temporary()
    defer { try? FileManager.default.removeItem(atPath: home) }
    let path = URL(fileURLWithPath: home + "/" + file)
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.replacing("HOME", with: home).utf8).write(to: path)
    let findings = OtherTools(home: home, environment: [:], root: home + "/Mail").findings()
    #expect(findings.count == count, "\(findings)")
    #expect(findings.allSatisfy { $0.state == .notice && $0.check == "other-tools" })
  }

  @Test(.enabled(if: geteuid() == 0)) func `what belongs to somebody else is told`() throws {
    let directory = try temporary()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let cur = directory + "/INBOX/cur"
    try FileManager.default.createDirectory(atPath: cur, withIntermediateDirectories: true)
    #expect(TreeExamination(directory: directory).findings().first?.state == .fine)
    chown(cur, 4321, 4321)
    let finding = TreeExamination(directory: directory).findings().first
    #expect(finding?.check == "permissions" && finding?.state == .wrong)
    #expect(finding?.exitStatus == ExitStatus.refused.rawValue)
    #expect(finding?.words.hasPrefix(cur) == true)
    #expect(finding?.remedy == "chown -R root '\(directory)'")
  }

  private func state(
    _ change: (inout AccountStatus) -> Void = { _ in },
    health: @escaping (String) -> StateHealth = { _ in .sound }
  ) throws -> [Finding] {
    let directory = try temporary()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(
      atPath: directory + "/.mirror", withIntermediateDirectories: true)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: directory + "/.mirror")
    for name in ["state.db", "state.backup.db"] {
      try Data("SQLite format 3\0".utf8).write(
        to: URL(fileURLWithPath: directory + "/.mirror/" + name))
    }
    var status = AccountStatus(account: "me")
    change(&status)
    return StateExamination(
      directory: directory, status: status, now: Date(timeIntervalSince1970: 1_800_000_000),
      health: health
    ).findings()
  }

  private func run(_ seconds: Double, _ status: Int32 = 0) -> AccountStatus.LastRun {
    let date = Date(timeIntervalSince1970: 1_800_000_000 - seconds)
    return AccountStatus.LastRun(started: date, ended: date, exitStatus: status)
  }

  @Test func `a sound state tells what it holds, when it ran last and what waits`() throws {
    let findings = try state {
      $0.mailboxes = [.init(name: "INBOX", messages: 12, unread: 1, problems: 0)]
      $0.lastRun = run(120)
      $0.pending.moves = 3
    }
    #expect(findings.allSatisfy { $0.state == .fine })
    #expect(findings.map(\.check) == ["state", "last-run", "pending"])
    #expect(findings[0].words.hasSuffix("state.db is sound: 12 messages in 1 mailbox"))
    #expect(findings[1].words == "2 min 0 s ago")
    #expect(findings[2].words.hasPrefix("3 changes"))
  }

  @Test func `pages that are torn, or too many, are told`() throws {
    let torn = try state(health: { $0.hasSuffix("state.db") ? .damaged("page 7") : .sound })
    #expect(torn.map(\.exitStatus) == [ExitStatus.badData.rawValue])
    #expect(torn[0].words.hasSuffix("state.db is damaged (page 7)."))
    #expect(torn[0].remedy?.contains("from state.backup.db") == true)
    let large = try state(health: { $0.hasSuffix("state.db") ? .unknown("too large") : .sound })
    #expect(large[0].state == .notice && large[0].words.hasSuffix("state.db: too large."))
    #expect(large[1].words.contains("is sound"))
    let backup = try state(health: { $0.hasSuffix("backup.db") ? .damaged("x") : .sound })
    #expect(backup.last?.state == .wrong && backup.last?.remedy?.contains("next pull") == true)
  }

  @Test func `a run that failed, or lies in the future, is told`() throws {
    let failed = try state { $0.lastRun = run(60, 69) }
    #expect(failed.last?.words == "1 min 0 s ago, with exit status 69.")
    let future = try state { $0.lastRun = run(-200_000) }
    #expect(future.last?.check == "clock" && future.last?.state == .notice)
    let killed = try state {
      $0.lastRun = run(60)
      $0.lastRun?.ended = nil
    }
    #expect(killed.last?.check == "last-run" && killed.last?.state == .notice)
  }

  @Test func `problems of the state are wrong, with their status, and not too many`() throws {
    let findings = try state { status in
      status.problems = (UInt32(1)...15).map {
        RunProblem(mailbox: "INBOX", uid: $0, problem: "Message \($0) fails.", remedy: "Wait.")
      }
      status.problems.append(RunProblem(problem: "Only a notice.", exitStatus: .done))
    }
    #expect(findings.first?.state == .fine)
    #expect(findings.count { $0.state == .wrong } == 11)
    #expect(findings[1].words == "INBOX: Message 1 fails." && findings[1].remedy == "Wait.")
    #expect(findings.last?.words == "there are 5 more problems.")
    let whole = try state {
      $0.problems = [RunProblem(problem: "It is damaged.", exitStatus: .badData)]
    }
    #expect(whole.map(\.exitStatus) == [ExitStatus.badData.rawValue])
  }

  @Test func `an index is missing, or behind, or sound`() throws {
    #expect(IndexExamination(root: "/nowhere/at/all").finding() == nil)
    let root = try temporary()
    defer { try? FileManager.default.removeItem(atPath: root) }
    #expect(
      IndexExamination(root: root).finding()
        == .notice("index", "there is none yet.", "The next pull makes it."))
    try FileManager.default.createDirectory(
      atPath: root + "/.mirror/index.db", withIntermediateDirectories: true)
    #expect(IndexExamination(root: root).finding()?.state == .wrong)
    #expect(IndexExamination.finding(behind: 0).state == .fine)
    #expect(
      IndexExamination.finding(behind: 1).words == "1 file changed since its last update.")
  }
}
