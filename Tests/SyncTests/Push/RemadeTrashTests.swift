import MailTestKit
import SyncPlan
import Testing

/// Trash deleted and made anew by somebody else right before a copy goes there.
struct RemadeTrashTests {
  @Test(arguments: [false, true])
  func `a copy to a Trash that was made anew is there once`(holdsAnother: Bool) throws {
    let stage = try Stage(ServerDialect(capabilities: ["UIDPLUS"])) { account in
      account.change("Trash") { $0.deliver(SampleMessage(token: "t0")) }
    }
    try stage.remove("m0")
    let account = stage.account
    stage.alter.value = { command, replies in
      guard command.name == "UID COPY" else { return replies }
      account.change("Trash") { box in
        box.messages.removeAll { contains($0.bytes, Array("<t0@".utf8)) }
        box.renumber()
        if holdsAnother { box.deliver(SampleMessage(token: "fresh")) }
      }
      return [.line("\(command.tag) OK [COPYUID 1500000001 1 1] copied")]
    }
    let outcome = stage.push(1)
    #expect(outcome.told.contains("renumbered"), "\(outcome.told)")
    stage.alter.value = nil
    stage.pull(nil)
    for _ in 0..<2 {
      stage.push()
      #expect(stage.places("m0") == ["Trash"])
      stage.pull(nil)
    }
    try stage.expectSettled()
  }
}
