import Foundation
import MailTestKit
import Testing

/// Promise 4 over several runs: deletions that were held back wait for `--allow-mass-delete` or for the files to come
/// back, whatever the tree looks like by then.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushHoldTests {
  private typealias Stage = PushStage

  /// `Work` and `Trash` with 15 messages each.
  private func stage() throws -> Stage {
    try Stage(.modern) { account in
      for (box, letter) in [("Work", "w"), ("Trash", "t")] {
        account.change(box) { box in
          for number in 0..<15 { box.deliver(SampleMessage(token: "\(letter)\(number)")) }
        }
      }
    }
  }

  private func sync(
    _ stage: Stage, _ status: Int32, location: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try stage.mirror.run(["sync", "--no-index"])
    #expect(outcome.ending == .exited(status), "\(outcome.summary)", sourceLocation: location)
  }

  private func deliver(_ token: String, to box: String, of stage: Stage, count: Int = 1) {
    stage.account.change(box) { box in
      for number in 0..<count { box.deliver(SampleMessage(token: "\(token)\(number)")) }
    }
  }

  private func count(_ box: String, of stage: Stage) -> Int {
    stage.account[box]?.messages.count ?? 0
  }

  private func remove(_ count: Int, from stage: Stage) throws {
    for message in try stage.mirror.tree()["INBOX"].prefix(count) {
      try stage.reader.remove(message)
    }
  }

  private func away(_ folder: String, of stage: Stage) throws {
    try FileManager.default.moveItem(
      atPath: stage.mirror.account + "/" + folder, toPath: stage.mirror.home + "/" + folder)
  }

  /// A run that finds nothing new leaves not even a backup of the state behind (promise 10).
  private func expectQuietPush(
    _ stage: Stage, _ status: Int32, location: SourceLocation = #_sourceLocation
  ) throws {
    let before = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    stage.server.forget()
    try stage.push(status, location: location)
    let after = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [], sourceLocation: location)
    #expect(stage.changes == [], sourceLocation: location)
  }

  @Test func `a folder that vanished waits, also when new mail has made it anew`() throws {
    let stage = try stage()
    try away("Work", of: stage)
    try away("Trash", of: stage)
    try sync(stage, 1)
    deliver("fresh", to: "Work", of: stage)
    deliver("late", to: "Trash", of: stage)
    try sync(stage, 1)
    #expect(try stage.mirror.tree()["Work"].count == 1)
    #expect(try stage.mirror.tree()["Trash"].count == 1)
    try sync(stage, 1)
    #expect(count("Work", of: stage) == 16 && count("Trash", of: stage) == 16)
    #expect(stage.changes == [])
    try expectQuietPush(stage, 1)
    // The files are back: nothing is gone, and what is deleted from now on goes.
    for folder in ["Work", "Trash"] {
      for part in ["cur", "new"] {
        let old = "\(stage.mirror.home)/\(folder)/\(part)"
        for name in try FileManager.default.contentsOfDirectory(atPath: old) {
          try FileManager.default.moveItem(
            atPath: "\(old)/\(name)", toPath: "\(stage.mirror.account)/\(folder)/\(part)/\(name)")
        }
      }
    }
    try stage.push()
    #expect(stage.changes == [])
    try expectQuietPush(stage, 0)
    try stage.reader.remove(stage.local("w3"))
    try stage.push()
    #expect(stage.places("w3") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `a folder that vanished waits, also when a pull made it anew before any push`() throws
  {
    let stage = try stage()
    try away("Work", of: stage)
    deliver("fresh", to: "Work", of: stage)
    try stage.mirror.pull()
    #expect(try stage.mirror.tree()["Work"].count == 1)
    stage.server.forget()
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("--allow-mass-delete"), "\(outcome.summary)")
    #expect(stage.changes == [] && count("Work", of: stage) == 16)
    try stage.push(0, "--allow-mass-delete")
    #expect(count("Work", of: stage) == 1 && count("Trash", of: stage) == 30)
    try expectQuietPush(stage, 0)
    try stage.expectSettled()
  }

  @Test func `half of a folder waits, also when so much came that it is half no longer`() throws {
    let stage = try Stage(.modern, count: 100)
    try remove(60, from: stage)
    try sync(stage, 1)
    deliver("fresh", to: "INBOX", of: stage, count: 21)
    try sync(stage, 1)
    try sync(stage, 1)
    #expect(count("INBOX", of: stage) == 121 && count("Trash", of: stage) == 0)
    let dry = try stage.push(1, "--dry-run")
    #expect(dry.outputText.contains("leave 60 deletions alone"), "\(dry.summary)")
    #expect(dry.errorText.contains("60 of 100"), "\(dry.summary)")
    // Everything else goes on, in the very mailbox.
    deliver("more", to: "INBOX", of: stage, count: 20)
    try stage.mirror.pull()
    try stage.reader.setFlags(stage.local("fresh7"), "F")
    try stage.reader.remove(stage.local("fresh8"))
    try stage.push(1)
    #expect(stage.flags("fresh7").contains("\\Flagged"))
    #expect(stage.places("fresh8") == ["Trash"] && count("INBOX", of: stage) == 140)
    try stage.push(0, "--allow-mass-delete")
    #expect(count("INBOX", of: stage) == 80 && count("Trash", of: stage) == 61)
    try expectQuietPush(stage, 0)
    try stage.expectSettled()
  }

  @Test func `what is held back waits, also when the server gives other UIDs`() throws {
    let stage = try Stage(.modern, count: 50)
    try remove(30, from: stage)
    try stage.push(1)
    stage.account.change("INBOX") { $0.renumber(from: 900) }
    deliver("fresh", to: "INBOX", of: stage, count: 40)
    try stage.mirror.pull()
    stage.server.forget()
    _ = try stage.mirror.run(["push"])
    _ = try stage.mirror.run(["push"])
    #expect(count("INBOX", of: stage) == 90 && stage.changes == [])
  }

  /// Thirty deletions are held back; so many of these messages the server expunged since.
  private func holding(expunging count: UInt32) throws -> Stage {
    let stage = try Stage(.modern, count: 60)
    for number in 0..<30 { try stage.reader.remove(stage.local("m\(number)")) }
    try stage.push(1)
    stage.account.change("INBOX") { box in
      for uid in UInt32(1)...count { box.expunge(uid) }
    }
    try stage.mirror.pull()
    return stage
  }

  @Test func `what the server itself expunged is held back no longer`() throws {
    let stage = try holding(expunging: 30)
    try stage.push()
    try expectQuietPush(stage, 0)
  }

  @Test func `a single message that is still held back is one`() throws {
    let stage = try holding(expunging: 29)
    let outcome = try stage.push(1)
    #expect(
      outcome.errorText.contains("1 message is gone from this folder, and an earlier run"),
      "\(outcome.summary)")
  }

  @Test func `flags of a mailbox that holds deletions back still leave in one flight`() throws {
    let stage = try Stage(.modern, count: 60)
    for number in 0..<30 { try stage.reader.remove(stage.local("m\(number)")) }
    try stage.push(1)
    try stage.reader.setFlags(stage.local("m40"), "F")
    stage.server.forget()
    try stage.push(1)
    #expect(stage.flags("m40").contains("\\Flagged"))
    #expect(stage.server.received.contains { $0.uppercased().hasSuffix(" UNSELECT") })
  }

  // MARK: The whole account

  @Test func `an account directory that vanished is no account that was never pulled`() throws {
    let stage = try stage()
    let account = stage.mirror.account
    try FileManager.default.moveItem(atPath: account, toPath: account + ".away")
    for isEmpty in [false, true] {
      if isEmpty {
        try FileManager.default.createDirectory(
          atPath: account, withIntermediateDirectories: false)
      }
      for arguments in [["push"], ["push", "--dry-run"], ["sync", "--no-index"]] {
        let outcome = try stage.mirror.run(arguments)
        #expect(outcome.ending == .exited(77), "\(outcome.summary)")
        #expect(outcome.errorText.contains(account), "\(outcome.summary)")
        #expect(outcome.errorText.contains("mirror pull"), "\(outcome.summary)")
        #expect(names(in: account) == [], "nothing is made there")
      }
      let status = try stage.mirror.run(["status"])
      #expect(status.outputText.contains("is gone"), "\(status.summary)")
      #expect(!status.outputText.contains("never pulled"), "\(status.summary)")
    }
    #expect(stage.changes == [] && count("Work", of: stage) == 15)
    try stage.mirror.pull()
    #expect(try stage.mirror.tree()["Work"].count == 15)
    try sync(stage, 0)
  }

  @Test(arguments: ["nothing", "a backup"])
  func `folders that came back without their state are matched, by sync, too`(left: String) throws {
    let stage = try stage()
    let control = stage.mirror.account + "/.mirror"
    if left == "nothing" {
      try FileManager.default.removeItem(atPath: control)
    } else {
      for name in ["state.db", "state.db-wal", "state.db-shm"] { unlink(control + "/" + name) }
    }
    for arguments in [["push"], ["push", "--dry-run"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.ending == .exited(1), "\(outcome.summary)")
      #expect(outcome.errorText.contains("mirror pull"), "\(outcome.summary)")
    }
    stage.server.forget()
    let outcome = try stage.mirror.run(["sync", "--no-index"])
    #expect(outcome.ending == .exited(1), "\(outcome.summary)")
    #expect(stage.server.server.bodyFetches == [])
    try sync(stage, 0)
    #expect(stage.changes == [] && count("Work", of: stage) == 15)
  }

  /// An older copy of the tree was laid over it.
  @Test func `a file put back beside the one that is known takes nothing back`() throws {
    let stage = try stage()
    let old = try stage.local("m1")
    try stage.reader.setFlags(old, "F")
    try stage.push()
    try stage.reader.deliver(old.raw, name: "\(old.base)", to: old.folder, flags: "S")
    try stage.push()
    #expect(stage.flags("m1") == ["\\Flagged"])
    try stage.push(0, "--full")
    #expect(stage.flags("m1") == ["\\Flagged"])
  }

  @Test func `a file put back beside one that was changed since takes nothing back, either`() throws
  {
    let stage = try stage()
    let old = try stage.local("m1")
    try stage.reader.setFlags(old, "FS")
    try writeFile("\(stage.mirror.account)/\(old.folder)/new/\(old.base)", old.raw)
    try stage.push()
    #expect(stage.flags("m1") == ["\\Flagged", "\\Seen"])
  }

  @Test func `what lies in the directory of an account that was never pulled is no tree`() throws {
    let stage = try stage()
    let root = stage.mirror.home + "/Other"
    try FileManager.default.createDirectory(
      atPath: root + "/personal/lost+found", withIntermediateDirectories: true)
    let fresh = try MirrorProgram(AccountSettings(port: stage.server.port, user: "u"), root: root)
    let outcome = try fresh.run(["push"])
    #expect(outcome.errorText.contains("never pulled"), "\(outcome.summary)")
  }
}
