import MailTestKit
import Testing

/// Trash deleted and made anew by somebody else right before a copy goes there.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct RemadeTrashTests {
  @Test(arguments: [false, true])
  func `a copy to a Trash that was made anew is there once`(holdsAnother: Bool) throws {
    let stage = try PushStage(Dialect(capabilities: ["UIDPLUS"])) { account in
      account.change("Trash") { $0.deliver(SampleMessage(token: "t0")) }
    }
    try stage.reader.remove(stage.local("m0"))
    let account = stage.account
    stage.server.alter { command, replies in
      guard command.name == "UID COPY" else { return replies }
      account.change("Trash") { box in
        box.messages.removeAll { contains($0.bytes, Array("<t0@".utf8)) }
        box.renumber()
        if holdsAnother { box.deliver(SampleMessage(token: "fresh")) }
      }
      return [.line("\(command.tag) OK [COPYUID 1500000001 1 1] copied")]
    }
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("renumbered"), "\(outcome.summary)")
    stage.server.alter(nil)
    try stage.mirror.pull()
    for _ in 0..<2 {
      try stage.push()
      #expect(stage.places("m0") == ["Trash"])
      try stage.mirror.pull()
    }
    try stage.expectSettled()
  }
}
