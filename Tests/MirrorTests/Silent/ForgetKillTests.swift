import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `mirror forget` beside others, killed, and where calls fail.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ForgetKillTests: ForgetStage {
  /// At a terminal, between the question and the answer.
  @Test(
    .enabled(if: findProgram("script") != nil),
    arguments: [([], "1 message nowhere but here"), (["--force"], "2 messages nowhere but here")])
  func `what comes between the question and the answer is found`(
    arguments: [String], words: String
  ) throws {
    let scenario = try scenario()
    if !arguments.isEmpty { try deliver("early", scenario) }
    let home = scenario.mirror.home
    let command = try scenario.mirror.command(["forget", "personal"] + arguments)
      .joined(separator: " ")
    let child = try Child(
      [
        "sh", "-c",
        "(while [ ! -e \(home)/go ]; do sleep 0.05; done; echo y; sleep 1) "
          + "| script -qefc '\(command)' \(home)/typed",
      ], environment: scenario.mirror.environment)
    let end = Date(timeIntervalSinceNow: 60)
    func shown() -> String {
      String(
        decoding: FileManager.default.contents(atPath: home + "/typed") ?? Data(), as: UTF8.self)
    }
    while !shown().contains("[y/N]"), Date() < end { Thread.sleep(forTimeInterval: 0.05) }
    #expect(shown().contains("its \(arguments.isEmpty ? 2 : 3) messages"), "\(shown())")
    try deliver("late", scenario)
    try writeFile(home + "/go", "")
    let outcome = try child.wait(limit: 60)
    #expect(outcome.ending == .exited(1), "\(outcome.summary)")
    #expect(shown().contains(words) && shown().contains("All is as it was"), "\(shown())")
    try expectWhole(scenario)
    #expect(try scenario.local("late@") != nil)
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"))
  func `what comes until the tree is aside is found, and all goes back`() throws {
    let scenario = try scenario()
    var fault = FaultRun(scenario.mirror)
    fault.arguments = ["forget", "personal", "--yes"]
    let block = scenario.mirror.root + "/.mirror/forgotten/personal/tree/.mirror"
    let outcome = try fault.hold("renameat2", 2) {
      exists(block)
    } _: {
      try deliver("late", scenario)
      try Reader(scenario.mirror).setFlags(#require(try scenario.local("m0@")), "F")
    }
    #expect(outcome.ending == .exited(1), "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 message nowhere but here"), "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 change not pushed"), "\(outcome.summary)")
    try expectWhole(scenario)
    #expect(try scenario.local("late@") != nil && scenario.local("m0@")?.flags == "F")
    #expect(try scenario.mirror.run(["sync"]).status == 0)
    try scenario.expectMirrored()
  }

  /// As a program does that had the folder open before: behind the last look.
  @Test(.enabled(if: FaultRun.isPossible, "no strace"))
  func `what comes behind the last look stays, and is told`() throws {
    let scenario = try scenario()
    var fault = FaultRun(scenario.mirror)
    fault.arguments = ["forget", "personal", "--yes"]
    let limbo = scenario.mirror.root + "/.mirror/forgotten/personal"
    let late = limbo + "/tree/INBOX/new/1.late.host"
    let outcome = try fault.hold("renameat", 3) {
      exists(limbo + "/decided.new")
    } _: {
      try writeFile(late, "Subject: late\n\nlate\n")
      #expect(!exists(scenario.mirror.account + "/.mirror/state.db"))
      let pull = try scenario.mirror.run(["pull"])
      #expect(pull.status != 0 && pull.errorText.contains("mirror forget"), "\(pull.summary)")
      #expect(try queue(scenario).status != 0, "no message is queued into nowhere")
    }
    #expect(outcome.ending == .exited(1), "\(outcome.summary)")
    #expect(outcome.errorText.contains(late), "\(outcome.summary)")
    #expect(exists(late))
    #expect(!exists(scenario.mirror.account))
    let again = try forget(scenario)
    #expect(again.status == 1 && again.errorText.contains(late), "\(again.summary)")
    try FileManager.default.removeItem(atPath: late)
    #expect(try forget(scenario).status == 0)
    try expectGone(scenario)
  }

  @Test(
    .enabled(if: FaultRun.isPossible, "no strace"),
    arguments: [
      "rename", "renameat", "renameat2", "unlinkat", "unlink", "rmdir", "openat", "mkdirat",
      "fdatasync", "fsync", "write", "pwrite64", "flock", "ftruncate",
    ])
  func `killed anywhere, nothing happened or another call ends it`(call: String) throws {
    let most = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
    for number in Machine.long ? most : [1, 3, 8, 16, 48] {
      let scenario = try scenario()
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["forget", "personal", "--yes"]
      let killed = try fault.kill(at: call, number)
      let when = "\(call) \(number): \(killed.ending)"
      // Whatever runs in between: no deletion reaches the server, and what is half gone is told.
      let isWhole = exists(scenario.mirror.account + "/.mirror/state.db")
      for command in [["push", "--allow-mass-delete"], ["pull"], ["status"]] {
        let outcome = try scenario.mirror.run(command)
        guard killed.ending != .exited(0), isHalf(scenario) else { continue }
        #expect(
          (outcome.errorText + outcome.outputText).contains("mirror forget"),
          "\(when): \(command): \(outcome.summary)")
        #expect(outcome.status != 0, "\(when): \(command): \(outcome.summary)")
      }
      #expect(try scenario.client.messages(in: "INBOX").count == 2, "\(when)")
      if isWhole { #expect(try scenario.local("m1@") != nil, "\(when)") }
      let again = try forget(scenario)
      let isDone = killed.ending == .exited(0) || again.status == 64
      #expect(again.status == 0 || isDone && again.status == 64, "\(when): \(again.summary)")
      _ = try scenario.mirror.run(["index", "--root", scenario.mirror.root])
      try expectGone(scenario)
      if killed.ending == .exited(0) { break }
    }
  }

  private func isHalf(_ scenario: Scenario) -> Bool {
    let limbo = scenario.mirror.root + "/.mirror/forgotten/personal"
    return exists(limbo + "/decided") || exists(limbo + "/tree/.mirror/state.db")
  }

  /// The call that ends it removes what the first had left, and tells of all.
  @Test(.enabled(if: FaultRun.isPossible, "no strace"))
  func `killed half way, another call tells what stays, and how much went`() throws {
    var met = 0
    for number in stride(from: 8, through: 64, by: 8) {
      let scenario = try scenario()
      try scenario.append(["a0", "a1"], to: "Archive")
      #expect(try scenario.mirror.run(["pull"]).status == 0)
      let folder = scenario.mirror.account + "/Archive"
      let elsewhere = scenario.mirror.home + "/elsewhere"
      try FileManager.default.moveItem(atPath: folder, toPath: elsewhere)
      try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: elsewhere)
      #expect(try scenario.mirror.run(["sync"]).status == 0)
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["forget", "personal", "--yes"]
      let killed = try fault.kill(at: "unlinkat", number)
      if killed.ending == .exited(0) { break }
      guard exists(scenario.mirror.root + "/.mirror/forgotten/personal/decided") else { continue }
      met += 1
      let again = try forget(scenario)
      #expect(again.status == 0, "\(number): \(again.summary)")
      #expect(again.outputText.contains("stays: \(elsewhere)"), "\(number): \(again.summary)")
      #expect(
        again.outputText.contains("removed, with 2 messages here"), "\(number): \(again.summary)")
      try expectGone(scenario)
    }
    #expect(met > 1)
  }

  @Test func `a half removed account that no configuration has is told`() throws {
    let scenario = try scenario()
    let limbo = scenario.mirror.root + "/.mirror/forgotten/gone"
    try FileManager.default.createDirectory(atPath: limbo, withIntermediateDirectories: true)
    // An earlier one that was cut off before its first step, or in its last, tells nothing.
    #expect(try scenario.mirror.run(["status"]).errorText == "")
    try writeFile(limbo + "/decided", "1\n")
    for arguments in [["status"], ["status", "--ready"], ["push"], ["flag", "+seen", "m0"]] {
      let outcome = try scenario.mirror.run(arguments)
      #expect(outcome.errorText.contains("Run `mirror forget gone` again"), "\(outcome.summary)")
      #expect((outcome.status == 1) == (arguments[0] == "status"), "\(outcome.summary)")
    }
    let doctor = try scenario.mirror.run(["doctor"])
    #expect(doctor.outputText.contains("Run `mirror forget gone` again"), "\(doctor.summary)")
    #expect(doctor.status != 0)
    #expect(try scenario.mirror.run(["forget", "gone", "--yes"]).status == 0)
    let status = try scenario.mirror.run(["status"])
    #expect(status.status == 0 && status.errorText == "", "\(status.summary)")
  }

  /// Killed before its last step, and set up anew since: that is another account, with changes of its own.
  @Test func `an account of the name that came since is looked at as any`() throws {
    let scenario = try scenario()
    #expect(try forget(scenario).status == 0)
    let limbo = scenario.mirror.root + "/.mirror/forgotten/personal"
    try FileManager.default.createDirectory(atPath: limbo, withIntermediateDirectories: true)
    try writeFile(limbo + "/decided", "1\n")
    try writeFile(limbo + "/unconfigured", "")
    try scenario.mirror.configure { _ in }
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try Reader(scenario.mirror).setFlags(#require(try scenario.local("m0@")), "F")
    let refused = try forget(scenario)
    #expect(refused.status == 1, "\(refused.summary)")
    #expect(refused.errorText.contains("1 change not pushed"), "\(refused.summary)")
    try expectWhole(scenario)
    try scenario.push()
    #expect(try forget(scenario).status == 0)
    try expectGone(scenario)
  }

  @Test(
    .enabled(if: FaultRun.isPossible, "no strace"),
    arguments: ["renameat2", "renameat", "unlinkat", "fdatasync", "mkdirat"],
    ["EIO", "ENOSPC", "EACCES"])
  func `a call that fails leaves it whole, or to be ended by another`(call: String, error: String)
    throws
  {
    for number in [1, 2, 4, 8, 16] {
      let scenario = try scenario()
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["forget", "personal", "--yes"]
      let failed = try fault.fail(call, with: error, from: number, only: true)
      _ = try scenario.mirror.run(["push", "--allow-mass-delete"])
      let when = "\(call) \(number) \(error): \(failed.summary)"
      #expect(try scenario.client.messages(in: "INBOX").count == 2, "\(when)")
      let again = try forget(scenario)
      #expect([0, 64].contains(again.status), "\(when): \(again.summary)")
      try expectGone(scenario)
      if failed.ending == .exited(0) { break }
    }
  }
}
