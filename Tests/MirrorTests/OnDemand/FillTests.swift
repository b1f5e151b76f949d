import Foundation
import MailTestKit
import Testing

/// Fills: the server's message, the flags of now, and nothing lost, whatever happens on the way.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct FillTests {
  private func scenario(_ more: String = "") throws -> Scenario {
    try Scenario(sync: "on-demand = \"20kB\"\n" + more)
  }

  @Test func `flags and keywords after a fill are those of that moment, here and there`() throws {
    let scenario = try scenario()
    try scenario.client.append([
      OnDemandMail.mixed("a", flags: ["\\Seen"]), OnDemandMail.mixed("b"),
    ])
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("<a@")), "FS")
    try scenario.client.store([2], "+FLAGS", ["\\Answered", "Work"], in: "INBOX")
    _ = try scenario.fillParts("--all")
    #expect(try scenario.local("<a@")?.flags == "FS", "what is not pushed stays")
    #expect(try scenario.local("<a@")?.isStub == false)
    #expect(try scenario.local("<b@")?.subdirectory == "new", "what is not read stays so")
    #expect(try scenario.mirror.run(["push"]).status == 0)
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `only what is named is filled, in the folder where it lies now`() throws {
    let scenario = try scenario()
    try scenario.client.create("Archive")
    try scenario.client.append([OnDemandMail.mixed("one"), OnDemandMail.mixed("two", seed: 2)])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let reader = Reader(scenario.mirror)
    try reader.move(#require(try scenario.local("<one@")), to: "Archive")
    let plan = try scenario.mirror.run(["fill", "--dry-run", "id:one@example.org"])
    #expect(plan.status == 0 && plan.outputText.contains("1 filled, 201 kB"), "\(plan.summary)")
    _ = try scenario.fillParts("id:one@example.org")
    #expect(try scenario.local("<one@", in: "Archive")?.isStub == false)
    #expect(try scenario.local("<two@")?.isStub == true)
    #expect(try scenario.mirror.run(["push"]).status == 0)
    _ = try scenario.fillParts("--all")
    try scenario.pull()
    try scenario.expectMirrored()
    _ = try scenario.fillParts("id:nobody@example.org", status: 1)
  }

  @Test func `a large message comes in ranges, and no byte of it twice`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("big", octets: 10_000_000)])
    try scenario.pull()
    let stub = try #require(try scenario.local("<big@"))
    let size = try scenario.client.messages(in: "INBOX")[0].bytes.count
    _ = try scenario.fillParts("--all")
    #expect(scenario.proxy.bytesDown < size + 20_000, "\(scenario.proxy.bytesDown) of \(size)")
    #expect(stub.raw.count < 2000)
    try scenario.expectMirrored()
  }

  @Test func `a fill that is cut goes on where it was`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("big", octets: 5_000_000)])
    try scenario.pull()
    let size = try scenario.client.messages(in: "INBOX")[0].bytes.count
    var conditions = TCPProxy.Conditions()
    conditions.cutDown = 2_500_000
    conditions.cuts = 4
    scenario.proxy.conditions = conditions
    // Each attempt of this run but the first loses a megabyte at most: it gets on by more than that.
    let whole = try scenario.mirror.run(["fill", "--all"], more: ["MIRROR_RETRY_SECONDS": "0,0,0"])
    #expect(whole.status == 0, "\(whole.summary)")
    try scenario.expectMirrored()
    #expect(try scenario.mirror.run(["stub", "--all"]).status == 0)
    conditions.cutDown = 1_500_000
    conditions.cuts = .max
    scenario.proxy.conditions = conditions
    let broken = try scenario.mirror.run(["fill", "--all"], more: ["MIRROR_RETRY_SECONDS": "0"])
    #expect(broken.status != 0, "\(broken.summary)")
    #expect(try scenario.local("<big@")?.isStub == true)
    // How much of what the server sent arrived before the cut is the kernel's affair; what arrived is counted.
    let parts = scenario.mirror.account + "/.mirror/parts"
    let begun = try #require(try FileManager.default.contentsOfDirectory(atPath: parts).first)
    let head = try #require(FileManager.default.contents(atPath: parts + "/" + begun)?.prefix(31))
    let kept = try #require(Int(String(decoding: head.suffix(17), as: UTF8.self)))
    scenario.proxy.conditions = .init()
    _ = try scenario.fillParts("--all")
    let received = scenario.proxy.bytesDown
    #expect(received < size - kept + 100_000, "\(received) of \(size), \(kept) were here")
    try scenario.expectMirrored()
    #expect(try FileManager.default.contentsOfDirectory(atPath: parts) == [])
  }

  @Test func `without a server it is remembered, and the next pull brings it`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a")])
    try scenario.pull()
    var offline = TCPProxy.Conditions()
    offline.refuses = true
    scenario.proxy.conditions = offline
    let outcome = try scenario.mirror.run(["fill", "--all"])
    #expect(outcome.status == 69, "\(outcome.summary)")
    #expect(outcome.outputText.contains("1 waiting"), "\(outcome.summary)")
    let status = try scenario.mirror.run(["status"])
    #expect(
      status.outputText.contains("1 message (201 kB) comes with the next pull"), "\(status.summary)"
    )
    scenario.proxy.conditions = .init()
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `a stub takes back what was asked for`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a")])
    try scenario.pull()
    var offline = TCPProxy.Conditions()
    offline.refuses = true
    scenario.proxy.conditions = offline
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 69)
    _ = try scenario.mirror.run(["stub", "--all"])
    scenario.proxy.conditions = .init()
    try scenario.pull()
    #expect(try scenario.local("<a@")?.isStub == true)
  }

  @Test(.enabled(if: TinyDisk.isPossible))
  func `a fill that does not fit leaves room for new mail and for smaller ones`() throws {
    let disk = try TinyDisk(megabytes: 12)
    let scenario = try Scenario(root: disk.path + "/mail", sync: "on-demand = \"20kB\"")
    try scenario.client.append([
      OnDemandMail.mixed("big", octets: 5_000_000), OnDemandMail.mixed("small", seed: 2),
    ])
    try scenario.pull()
    let filled = try scenario.mirror.run(["fill", "--all"])
    #expect(filled.status == 1 && filled.outputText.contains("1 filled"), "\(filled.summary)")
    #expect(filled.errorText.contains("5.0 MB"), "\(filled.summary)")
    #expect(try scenario.local("<big@")?.isStub == true)
    #expect(try scenario.local("<small@")?.isStub == false)
    let parts = scenario.mirror.account + "/.mirror/parts"
    #expect(try FileManager.default.contentsOfDirectory(atPath: parts) == [])
    try scenario.client.append([OnDemandMail.mixed("new", octets: 300)])
    #expect(try scenario.mirror.run(["pull", "--no-index"]).status == 1, "it is told again")
    #expect(try scenario.local("<new@") != nil)
    try disk.remount("size=40m")
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `what was asked for offline comes, also where it was moved under another name`()
    throws
  {
    let scenario = try scenario()
    try scenario.client.create("Archive")
    try scenario.client.append([OnDemandMail.mixed("a")])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    var offline = TCPProxy.Conditions()
    offline.refuses = true
    scenario.proxy.conditions = offline
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 69)
    scenario.proxy.conditions = .init()
    let stub = try #require(try scenario.local("<a@"))
    let account = scenario.mirror.account + "/"
    try FileManager.default.moveItem(
      atPath: account + stub.path, toPath: account + "Archive/cur/1600000000.another.host:2,S")
    let pulled = try scenario.mirror.run(["pull"])
    #expect(pulled.status == 0, "\(pulled.summary)")
    #expect(pulled.summary.contains("no push has followed it"), "\(pulled.summary)")
    #expect(try scenario.mirror.run(["push"]).status == 0)
    try scenario.pull()
    #expect(try scenario.local("<a@", in: "Archive")?.isStub == false)
    try scenario.expectMirrored()
  }

  @Test func `a stub that was edited is not filled, and how it can be is told`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a")])
    try scenario.pull()
    let stub = try #require(try scenario.local("<a@"))
    let edited = stub.text.replacing("Hello.", with: "Hallo!")
    try writeFile(scenario.mirror.account + "/" + stub.path, edited)
    let outcome = try scenario.fillParts("--all", status: 1)
    #expect(outcome.summary.contains("`mirror revert`"), "\(outcome.summary)")
    #expect(try scenario.local("<a@")?.text.contains("Hallo!") == true)
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    _ = try scenario.fillParts("--all")
    try scenario.expectMirrored()
  }

  @Test func `a number alone is a message's, and status tells what is not here`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a"), OnDemandMail.mixed("b", seed: 2)])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let ids = try scenario.mirror.run(["search", "--format", "ids", "id:b@example.org"]).outputText
    _ = try scenario.fillParts(ids.split(separator: "\n").map(String.init)[0])
    #expect(try scenario.local("<b@")?.isStub == false)
    #expect(try scenario.local("<a@")?.isStub == true)
    func status() throws -> String { try scenario.mirror.run(["status"]).outputText }
    #expect(try status().contains("ready to go offline, but for the parts that are on the server"))
    _ = try scenario.fillParts("--all")
    #expect(try status().contains("ready to go offline\n"))
  }

  @Test func `what was expunged meanwhile is told, and the next pull removes it`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a"), OnDemandMail.mixed("b", seed: 2)])
    try scenario.pull()
    try scenario.client.expunge([1], in: "INBOX")
    let outcome = try scenario.fillParts("--all", status: 1)
    #expect(outcome.summary.contains("does not have the message any more"), "\(outcome.summary)")
    #expect(try scenario.local("<a@")?.isStub == true)
    #expect(try scenario.local("<b@")?.isStub == false)
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `a mailbox that was numbered anew gives no wrong message`() throws {
    let scenario = try scenario()
    try scenario.client.create("Box")
    try scenario.client.append([OnDemandMail.mixed("a")], to: "Box")
    try scenario.pull()
    try scenario.client.delete("Box")
    try scenario.client.create("Box")
    try scenario.client.append([OnDemandMail.mixed("x", seed: 5)], to: "Box")
    _ = try scenario.fillParts("--all", status: 1)
    #expect(try scenario.local("<a@")?.isStub == true)
    #expect(try scenario.local("<x@") == nil)
  }

  @Test(.enabled(if: TerminalScreen.isPossible))
  func `more than 25 MB is asked about at a terminal`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a", octets: 26_000_000)])
    try scenario.pull()
    func screen(_ more: String...) throws -> TerminalScreen {
      try TerminalScreen(
        scenario.mirror.command(["fill", "--all"] + more),
        environment: scenario.mirror.environment)
    }
    let refused = try screen()
    try refused.answer("Fetch 1 message, 26 MB?", "n")
    #expect(try refused.status() == 1)
    #expect(try scenario.local("<a@")?.isStub == true)
    let unasked = try screen("--yes")
    #expect(try unasked.status() == 0)
    #expect(try scenario.local("<a@")?.isStub == false)
  }

  @Test func `a line that breaks within each megabyte brings the message all the same`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("big", octets: 2_500_000)])
    try scenario.pull()
    var conditions = TCPProxy.Conditions()
    conditions.cutDown = 600_000
    // A reset loses what was not read by then: so little comes at a time that it was.
    conditions.bytesPerSecond = 3_000_000
    scenario.proxy.conditions = conditions
    var runs = 0
    while try scenario.local("<big@")?.isStub == true, runs < 8 {
      _ = try scenario.mirror.run(["fill", "--all"], more: ["MIRROR_RETRY_SECONDS": "0,0,0"])
      runs += 1
    }
    scenario.proxy.conditions = .init()
    try scenario.expectMirrored()
  }

  @Test(arguments: ["LIMIT", "OVERQUOTA", "THROTTLED"])
  func `what a server that has sent enough refuses comes later, from that byte on`(code: String)
    throws
  {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("big", octets: 4_000_000)])
    try scenario.pull()
    let size = try scenario.client.messages(in: "INBOX")[0].bytes.count
    // Two pieces come; what is asked for behind them Dovecot does not know, and its words become the other server's.
    var spent = TCPProxy.Conditions()
    spent.changeUp = { replacing("BODY.PEEK[]<2097152.", with: "BODY.PEEK[x]<2097152.", in: $0) }
    spent.changeDown = {
      replacing(" BAD Error in IMAP command", with: " NO [\(code)] Too much today", in: $0)
    }
    scenario.proxy.conditions = spent
    scenario.proxy.forget()
    let refused = try scenario.mirror.run(["fill", "--all"], more: ["MIRROR_RETRY_SECONDS": "0"])
    #expect(refused.status == 1, "\(refused.summary)")
    #expect(refused.summary.contains("Too much today"), "\(refused.summary)")
    #expect(refused.outputText.contains("1 waiting"), "\(refused.summary)")
    #expect(
      scenario.proxy.commands(named: ["FETCH"]).allSatisfy { !$0.contains("BODY.PEEK[])") },
      "it is not asked for all of it instead")
    #expect(try scenario.local("<big@")?.isStub == true)
    scenario.proxy.conditions = .init()
    _ = try scenario.fillParts("--all")
    #expect(scenario.proxy.bytesDown < size - 2_097_152 + 20_000, "\(scenario.proxy.bytesDown)")
    try scenario.expectMirrored()
  }

  @Test func `a line that is cut after each 64 kB brings the message, and hardly a byte twice`()
    throws
  {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("big", octets: 700_000)])
    try scenario.pull()
    let size = try scenario.client.messages(in: "INBOX")[0].bytes.count
    var conditions = TCPProxy.Conditions()
    conditions.cutDown = 64 << 10
    // A reset loses what was not read by then: so little comes at a time that it was.
    conditions.bytesPerSecond = 1_000_000
    scenario.proxy.conditions = conditions
    scenario.proxy.forget()
    var runs = 0
    while try scenario.local("<big@")?.isStub == true, runs < 20 {
      _ = try scenario.mirror.run(["fill", "--all"], more: ["MIRROR_RETRY_SECONDS": "0,0,0"])
      runs += 1
    }
    #expect(scenario.proxy.bytesDown < 2 * size, "\(scenario.proxy.bytesDown) in \(runs) runs")
    scenario.proxy.conditions = .init()
    try scenario.expectMirrored()
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"), arguments: FaultRun.calls)
  func `killed at a system call of a fill, nothing is lost, and the next one ends it`(call: String)
    throws
  {
    for number in Machine.long ? Array(1...40) : [2, 9] {
      let scenario = try scenario()
      try scenario.client.append([
        OnDemandMail.mixed("a", octets: 1_500_000, flags: ["\\Seen", "Work"]),
        OnDemandMail.mixed("b", octets: 40_000, seed: 2),
      ])
      try scenario.pull()
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["fill", "--all"]
      let killed = try fault.kill(at: call, number)
      for token in ["<a@", "<b@"] {
        #expect(try scenario.mirror.tree().count(of: token) == 1, "\(call) \(number): \(token)")
      }
      // A push that comes first has nothing to send.
      scenario.proxy.forget()
      #expect(try scenario.mirror.run(["push"]).status == 0)
      #expect(scenario.proxy.changingCommands == [], "\(call) \(number)")
      // What is whole by now is not fetched again.
      let whole = try ["<a@", "<b@"].filter { try scenario.local($0)?.isStub == false }.count
      try scenario.pull()
      #expect(
        scenario.bodyFetches.count { $0.contains("<0.") } <= 2 - whole, "\(call) \(number)")
      _ = try scenario.fillParts("--all")
      try scenario.expectMirrored()
      if killed.ending == .exited(0) { break }
    }
  }
}

/// Another text, wherever it stands.
func replacing(_ text: String, with other: String, in bytes: [UInt8]) -> [UInt8] {
  let wanted = Array(text.utf8)
  guard contains(bytes, wanted) else { return bytes }
  var result: [UInt8] = []
  var place = 0
  while place < bytes.count {
    if bytes[place...].starts(with: wanted) {
      result += other.utf8
      place += wanted.count
    } else {
      result.append(bytes[place])
      place += 1
    }
  }
  return result
}
