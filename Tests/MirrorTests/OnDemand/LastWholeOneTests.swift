import Foundation
import MailTestKit
import Testing

/// Of a stub the server has the only whole message: whatever becomes of the file, that one stays until a person gives it up.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct LastWholeOneTests {
  private func stubs(_ tokens: [String], expunges: Bool = false) throws -> Scenario {
    let scenario = try Scenario(
      sync: "on-demand = \"20kB\"" + (expunges ? "\ndeletions = \"expunge\"" : ""))
    try scenario.client.create("Archive")
    for (number, token) in tokens.enumerated() {
      try scenario.client.append([OnDemandMail.mixed(token, seed: UInt64(number + 1))])
    }
    try scenario.pull()
    return scenario
  }

  private func shell(_ words: String...) throws { try runSuccessfully(words) }

  @Test(arguments: [true, false])
  func `a stub that left the account keeps its message on the server`(keepsName: Bool) throws {
    let scenario = try stubs(["a"], expunges: true)
    let stub = try #require(try scenario.local("<a@"))
    let beside = scenario.mirror.root + "/old/2020"
    try shell("mkdir", "-p", beside + "/cur", beside + "/new", beside + "/tmp")
    let target = beside + "/cur/" + (keepsName ? stub.name : "other:2,S")
    try shell("mv", scenario.mirror.account + "/" + stub.path, target)
    scenario.proxy.forget()
    let waiting = try scenario.mirror.run(["push"])
    #expect(waiting.errorText.contains("has but a part"), "\(waiting.summary)")
    #expect(scenario.proxy.changingCommands == [])
    try shell("rm", target)
    #expect(try scenario.mirror.run(["push"]).status == 0)
    #expect(try scenario.client.messages(in: "INBOX").isEmpty, "now it is deleted")
  }

  @Test func `a stub's copy is what is left of its message, whatever became of the original`()
    throws
  {
    let scenario = try stubs(["a"], expunges: true)
    let stub = try #require(try scenario.local("<a@"))
    let whole = try scenario.client.messages(in: "INBOX")[0].bytes
    try shell(
      "cp", scenario.mirror.account + "/" + stub.path,
      scenario.mirror.account + "/Archive/cur/copy:2,S")
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    try Reader(scenario.mirror).remove(#require(try scenario.local("<a@", in: "INBOX")))
    scenario.proxy.forget()
    #expect(try scenario.mirror.run(["push"]).status == 0)
    #expect(scenario.proxy.commands(named: ["APPEND"]) == [])
    #expect(try scenario.client.messages(in: "Archive").map(\.bytes) == [whole])
    #expect(try scenario.client.messages(in: "INBOX").isEmpty)
    try scenario.pull()
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    try scenario.expectMirrored()
  }

  @Test func `a copy of a stub whose original was filled is a copy on the server`() throws {
    let scenario = try stubs(["a"])
    let stub = try #require(try scenario.local("<a@"))
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    try Reader(scenario.mirror).deliver(stub.raw, name: "copy", to: "Archive")
    scenario.proxy.forget()
    #expect(try scenario.mirror.run(["push"]).status == 0)
    #expect(scenario.proxy.commands(named: ["APPEND"]) == [])
    #expect(try scenario.client.messages(in: "Archive").count == 1)
    #expect(try scenario.client.messages(in: "INBOX").count == 1)
  }

  @Test func `messages that differ in what is not here are never taken for each other`() throws {
    let scenario = try Scenario(sync: "on-demand = \"20kB\"\ndeletions = \"expunge\"")
    try scenario.client.create("Archive")
    let twins = [1, 2].map { OnDemandMail.mixed("a", seed: $0) }
    #expect(twins[0].bytes.count == twins[1].bytes.count && twins[0].bytes != twins[1].bytes)
    try scenario.client.append(twins)
    try scenario.pull()
    let files = try scenario.mirror.tree()["INBOX"].sorted { $0.path < $1.path }
    #expect(files.count == 2 && files.allSatisfy(\.isStub))
    let reader = Reader(scenario.mirror)
    // Under another name it may be either; the one that is removed, too.
    try shell(
      "mv", scenario.mirror.account + "/" + files[1].path,
      scenario.mirror.account + "/Archive/cur/other:2,S")
    try reader.remove(files[0])
    scenario.proxy.forget()
    _ = try scenario.mirror.run(["push"])
    #expect(scenario.proxy.changingCommands == [])
    #expect(try scenario.client.messages(in: "INBOX").count == 2)
  }

  @Test(arguments: [
    "Delivered-To: x@example.org\n", "\n", "From x@example.org Sat Jan  1 00:00:00 2022\n", nil,
  ])
  func `what became of a stub's first line sends no part`(above: String?) throws {
    let scenario = try stubs(["a"], expunges: true)
    let stub = try #require(try scenario.local("<a@"))
    let bytes =
      above.map { Array($0.utf8) + stub.raw } ?? Array(stub.raw.drop { $0 != 10 }.dropFirst())
    try Reader(scenario.mirror).deliver(bytes, name: "other", to: "Archive")
    try Reader(scenario.mirror).remove(stub)
    scenario.proxy.forget()
    let waiting = try scenario.mirror.run(["push"])
    #expect(scenario.proxy.commands(named: ["APPEND"]) == [], "\(waiting.summary)")
    let whole = try ["INBOX", "Archive"].flatMap { try scenario.client.messages(in: $0) }
    #expect(whole.count == 1 && whole[0].bytes.count > 200_000, "the only whole one")
  }

  @Test func `a state of an earlier day knows what is a stub by now`() throws {
    let scenario = try Scenario()
    try scenario.client.append([OnDemandMail.mixed("a")])
    try scenario.pull()
    let control = scenario.mirror.account + "/.mirror"
    try shell("cp", "-a", control, scenario.mirror.home + "/aside")
    try scenario.mirror.configure { $0.sync = "on-demand = \"20kB\"" }
    #expect(try scenario.mirror.run(["stub", "--all"]).status == 0)
    removeTree(control)
    try shell("cp", "-a", scenario.mirror.home + "/aside", control)
    scenario.proxy.forget()
    #expect(try scenario.mirror.run(["pull", "--no-index"]).status == 0)
    let pushed = try scenario.mirror.run(["push"])
    #expect(pushed.status == 0 && !pushed.summary.contains("edited"), "\(pushed.summary)")
    #expect(scenario.proxy.changingCommands == [])
    let filled = try scenario.mirror.run(["fill", "--all"])
    #expect(filled.status == 0 && filled.outputText.contains("1 filled"), "\(filled.summary)")
    try scenario.expectMirrored()
  }

  @Test func `drafts are not made stubs`() throws {
    let scenario = try Scenario(sync: "on-demand = \"20kB\"")
    try scenario.client.append([OnDemandMail.mixed("a")], to: "Drafts")
    try scenario.client.append([OnDemandMail.mixed("b", flags: ["\\Draft"], seed: 2)])
    try scenario.pull()
    _ = try scenario.mirror.run(["fill", "--all"])
    _ = try scenario.mirror.run(["stub", "--all"])
    #expect(try scenario.local("<a@")?.isStub == false && scenario.local("<b@")?.isStub == false)
  }

  @Test func `a whole file whose message is a stub elsewhere is not sent after a lost state`()
    throws
  {
    let scenario = try Scenario()
    try scenario.client.create("Archive")
    try scenario.client.append([OnDemandMail.mixed("a")])
    try scenario.pull()
    try scenario.client.move(
      [scenario.client.uid(of: "a", in: "INBOX")], from: "INBOX", to: "Archive")
    removeTree(scenario.mirror.account + "/.mirror")
    try scenario.mirror.configure { $0.sync = "on-demand = \"20kB\"" }
    #expect(try scenario.mirror.run(["pull", "--no-index"]).status == 0)
    #expect(try scenario.mirror.run(["push"]).status == 0)
    #expect(try scenario.client.messages(in: "INBOX").isEmpty)
    #expect(try scenario.client.messages(in: "Archive").count == 1)
    #expect(try scenario.mirror.tree().count(of: "<a@") == 2, "nothing is removed for it")
  }
}
