import Foundation
import MailTestKit
import Testing

/// Promise 4, with a folder that lies on a disk of its own.
@Suite(.onBlockingThreads, .enabled(if: Machine.canMount)) struct PushMountTests {
  @Test(arguments: [[], ["--allow-mass-delete"], ["--full"]])
  func `a folder whose disk is not mounted loses nothing`(arguments: [String]) throws {
    let disk = try TinyDisk(megabytes: 2)
    let stage = try PushStage(.modern) { account in
      account.change("Work") { box in
        for number in 0..<3 { box.deliver(SampleMessage(token: "w\(number)")) }
      }
    }
    let work = stage.mirror.account + "/Work"
    try runSuccessfully(["cp", "-a", work + "/.", disk.path])
    for part in ["cur", "new", "tmp"] {
      try FileManager.default.removeItem(atPath: "\(work)/\(part)")
    }
    try runSuccessfully(["mount", "--bind", disk.path, work])
    var isMounted = true
    defer { if isMounted { _ = try? run(["umount", work]) } }
    try stage.push()
    #expect(stage.changes == [])

    try runSuccessfully(["umount", work])
    isMounted = false
    try stage.reader.remove(stage.local("m0"))
    let outcome = try stage.mirror.run(["push"] + arguments)
    #expect(outcome.status == 1 && outcome.errorText.contains("not mounted"), "\(outcome.summary)")
    #expect(stage.account["Work"]?.messages.count == 3)
    #expect(stage.places("m0") == ["Trash"], "everything else goes on")

    try runSuccessfully(["mount", "--bind", disk.path, work])
    isMounted = true
    try stage.expectSettled()
    #expect(try stage.mirror.tree()["Work"].count == 3)
  }
}
