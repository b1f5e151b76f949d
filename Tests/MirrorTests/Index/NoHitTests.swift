import MailTestKit
import Testing

/// What matches nothing is one JSON document all the same.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct NoHitTests {
  private let index: IndexProgram

  init() throws {
    index = try IndexProgram()
    try index.deliver(SampleMessage(token: "a"), name: "1")
    try index.runSuccessfully("update")
  }

  @Test(arguments: ["search", "threads", "attachments", "address", "show"])
  func `without a hit the list is empty`(verb: String) throws {
    let outcome = try Child(
      index.command([verb, "--format", "json", "unheard"]), environment: index.environment
    ).wait()
    #expect(outcome.status == (["address", "show"].contains(verb) ? 1 : 0), "\(outcome.summary)")
    #expect(outcome.outputText == "[]\n")
  }
}
