import Foundation
import MailTestKit
import Testing

/// Promise 4, where a copy of a folder is put in its place: what an older one lacks was deleted by nobody.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct ReplacedFolderTests {
  /// A copy of INBOX with six messages, and three newer ones in INBOX since.
  private func stage(sync: String = "deletions = \"expunge\"") throws -> PushStage {
    let stage = try PushStage(.modern, sync: sync)
    try copy("INBOX", to: "copy", of: stage)
    deliver("n", 3, stage)
    try stage.mirror.pull()
    stage.server.forget()
    return stage
  }

  private func deliver(_ token: String, _ count: Int, _ stage: PushStage) {
    stage.account.change("INBOX") { box in
      for number in 0..<count { box.deliver(SampleMessage(token: "\(token)\(number)")) }
    }
  }

  private func copy(_ folder: String, to name: String, of stage: PushStage) throws {
    try runSuccessfully([
      "cp", "-a", "\(stage.mirror.account)/\(folder)", "\(stage.mirror.home)/\(name)",
    ])
  }

  private func putBack(_ name: String, as folder: String, of stage: PushStage) throws {
    let place = "\(stage.mirror.account)/\(folder)"
    try FileManager.default.removeItem(atPath: place)
    try runSuccessfully(["cp", "-a", "\(stage.mirror.home)/\(name)", place])
  }

  private func count(_ box: String, of stage: PushStage) -> Int {
    stage.account[box]?.messages.count ?? 0
  }

  @Test(arguments: [false, true])
  func `an older copy in a folder's place deletes nothing`(isPulled: Bool) throws {
    let stage = try stage()
    try putBack("copy", as: "INBOX", of: stage)
    if isPulled {
      // The pull sees other directories first, and the push sees them no more.
      deliver("late", 1, stage)
      try stage.mirror.pull()
      stage.server.forget()
    }
    let all = isPulled ? 10 : 9
    for _ in 0..<3 {
      let outcome = try stage.push(1)
      #expect(outcome.errorText.contains("another directory"), "\(outcome.summary)")
      #expect(outcome.errorText.contains("--allow-mass-delete"), "\(outcome.summary)")
      #expect(stage.changes == [] && count("INBOX", of: stage) == all)
    }
    // What is deleted from now on goes.
    try stage.reader.remove(stage.local("m0"))
    try stage.push(1)
    #expect(stage.places("m0") == [] && count("INBOX", of: stage) == all - 1)
    try stage.push(0, "--allow-mass-delete")
    #expect(count("INBOX", of: stage) == all - 4)
    try stage.expectSettled()
  }

  @Test func `the files that an older copy lacked are back, and nothing waits`() throws {
    let stage = try stage()
    try copy("INBOX", to: "newer", of: stage)
    try putBack("copy", as: "INBOX", of: stage)
    try stage.push(1)
    try putBack("newer", as: "INBOX", of: stage)
    try stage.push()
    #expect(stage.changes == [] && count("INBOX", of: stage) == 9)
    try stage.expectSettled()
  }

  @Test func `what is missing in an older copy and lies elsewhere was moved`() throws {
    let stage = try stage()
    try stage.reader.move(stage.local("n0"), to: "Work")
    try putBack("copy", as: "INBOX", of: stage)
    try stage.push(1)
    #expect(stage.places("n0") == ["Work"] && count("INBOX", of: stage) == 8)
  }

  @Test func `a whole copy in a folder's place is as good as the folder`() throws {
    let stage = try stage()
    try copy("INBOX", to: "newer", of: stage)
    try putBack("newer", as: "INBOX", of: stage)
    try stage.push()
    try stage.reader.remove(stage.local("n0"))
    try stage.push()
    #expect(stage.places("n0") == [] && count("INBOX", of: stage) == 8)
    try stage.expectSettled()
  }
}
