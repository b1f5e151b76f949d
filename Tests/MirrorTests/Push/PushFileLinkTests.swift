import Foundation
import MailTestKit
import Testing

/// Symbolic links in `cur` and `new`: only regular files are messages.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushFileLinkTests {
  private let stage: PushStage

  init() throws { stage = try PushStage(.modern, count: 2) }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  @Test(arguments: ["cur/17.1.host:2,S", "new/17.1.host"])
  func `what a link leads to is not sent`(name: String) throws {
    let secret = stage.mirror.home + "/secret"
    try writeFile(secret, "Subject: secret\n\nfor nobody\n")
    let folder = stage.mirror.account + "/INBOX/"
    try link(folder + name, to: secret)
    try link(
      folder + "cur/17.2.host:2,S", to: stage.mirror.account + "/" + stage.local("m1").path)
    try link(folder + "cur/17.3.host:2,S", to: "/nowhere")
    for arguments in [["push"], ["push", "--full"], ["sync", "--no-index"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.status == 0 && stage.changes == [], "\(outcome.summary)")
    }
    // Nor does adopting the tree make anything of them.
    removeTree(stage.mirror.account + "/.mirror")
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.changes == [])
    #expect(stage.account["INBOX"]?.messages.count == 2)
    for name in [name, "cur/17.2.host:2,S", "cur/17.3.host:2,S"] {
      try FileManager.default.removeItem(atPath: folder + name)
    }
    #expect(try stage.mirror.tree().messages.count == 2)
  }

  @Test(arguments: ["the file", "another file", "nothing"])
  func `a link in a message's place is neither its deletion nor its edit`(target: String) throws {
    let message = try stage.local("m0")
    let place = stage.mirror.account + "/" + message.path
    let aside = stage.mirror.home + "/aside"
    try FileManager.default.moveItem(atPath: place, toPath: aside)
    if target == "another file" { try writeFile(aside, "Subject: other\n\nother\n") }
    if target == "nothing" { try FileManager.default.removeItem(atPath: aside) }
    try link(place, to: aside)
    for arguments in [["push"], ["push", "--full", "--allow-mass-delete"]] {
      let outcome = try stage.mirror.run(arguments)
      #expect(outcome.status == 0 && stage.changes == [], "\(outcome.summary)")
    }
    #expect(try stage.mirror.run(["verify"]).summary.contains("symbolic link"))
    // What the server says of it hinders nothing, and changes nothing outside.
    let before = try? readFile(aside)
    stage.account.change("INBOX") { $0.setFlags(1, ["\\Flagged", "todo"]) }
    let pulled = try stage.mirror.pull()
    #expect(pulled.status == 0, "\(pulled.summary)")
    try stage.push()
    #expect(stage.changes == [] && stage.flags("m0") == ["\\Flagged", "todo"])
    #expect((try? readFile(aside)) == before)
    // Without the link the message is gone from here.
    try FileManager.default.removeItem(atPath: place)
    try stage.push()
    #expect(stage.places("m0") == ["Trash"])
  }

  @Test func `a link in the place of a message that the server expunged hinders nothing`() throws {
    let place = try stage.mirror.account + "/" + stage.local("m0").path
    let aside = stage.mirror.home + "/aside"
    try FileManager.default.moveItem(atPath: place, toPath: aside)
    try link(place, to: aside)
    stage.account.change("INBOX") { $0.expunge(1) }
    let pulled = try stage.mirror.pull()
    #expect(pulled.status == 0, "\(pulled.summary)")
    try stage.push()
    #expect(stage.changes == [] && exists(aside))
  }
}
