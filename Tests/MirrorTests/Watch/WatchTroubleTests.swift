import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Lines that break, sleep, trees that are gone, refused log-ins, others at work.
@Suite(.onWaitingThreads, .enabled(if: WatchStage.isPossible), .serialized)
struct WatchTroubleTests {
  @Test func `a line that is cut is opened again, and what came meanwhile is not overlooked`()
    throws
  {
    let stage = try WatchStage()
    for number in 0..<3 {
      stage.proxy.cutAll()
      try stage.arrival("after\(number)")
    }
    try stage.stop()
  }

  @Test(arguments: [false, true])
  func `after a sleep new mail comes, also where the line is dead and nobody says so`(isCut: Bool)
    throws
  {
    let stage = try WatchStage()
    stage.watch.signal(SIGSTOP)
    if isCut { stage.proxy.cutAll() } else { stage.proxy.holdAll() }
    try stage.append("slept")
    pause(1)
    stage.watch.signal(SIGCONT)
    try stage.wait("it arrives") { try stage.local("slept") != nil }
    // The dead line is found to be so, and another one opened.
    try stage.arrival("awake")
    try stage.stop()
  }

  /// The test's own client has one of the connections.
  @Test(arguments: [1, 2])
  func `a server that allows one connection or two brings mail all the same`(allowed: Int) throws {
    let stage = try WatchStage(
      .init(more: "mail_max_userip_connections = \(allowed + 1)"), settings: "poll = \"5s\"")
    #expect(stage.way == (allowed == 1 ? "poll" : "notify"))
    for number in 0..<3 { try stage.arrival("n\(number)") }
    try stage.mark("n0", "F")
    try stage.wait("the flag") { try stage.flags("n0")?.contains("\\Flagged") == true }
    try stage.stop()
  }

  @Test func `a server that hangs up on a second connection brings mail all the same`() throws {
    let stage = try WatchStage(settings: "poll = \"5s\"")
    #expect(stage.way == "notify")
    stage.proxy.conditions.most = 1
    stage.proxy.cutAll()
    for number in 0..<3 { try stage.arrival("n\(number)") }
    try stage.mark("n0", "F")
    try stage.wait("the flag") { try stage.flags("n0")?.contains("\\Flagged") == true }
    try stage.stop()
  }

  @Test func `a server that is away for a while is found again, with all that happened`() throws {
    let stage = try WatchStage { try $0.append(SampleMessage(token: "here"), to: "INBOX") }
    stage.proxy.conditions.refuses = true
    stage.proxy.cutAll()
    try stage.append("meanwhile")
    try stage.mark("here", "F")
    try stage.wait("the retry is told") {
      stage.events.contains { $0.state == "retry-scheduled" }
    }
    stage.proxy.conditions.refuses = false
    stage.watch.signal(SIGUSR1)
    try stage.wait("it arrives") { try stage.local("meanwhile") != nil }
    try stage.expectEqual()
    try stage.stop()
  }

  @Test func `a tree that is moved away deletes nothing, is told of once, and is found again`()
    throws
  {
    let stage = try WatchStage { client in
      try client.append((0..<5).map { SampleMessage(token: "m\($0)x") }, to: "INBOX")
    }
    let (root, elsewhere) = (stage.mirror.root, stage.mirror.root + "2")
    try #require(rename(root, elsewhere) == 0)
    try stage.wait("it is noticed") {
      stage.events.contains { $0.state == "error" || $0.state == "tree-gone" }
    }
    try stage.append("unseen")
    pause(8)
    #expect(!exists(root + "/personal"))
    #expect(try stage.client.uids(in: "INBOX").count == 6)
    let told = stage.watch.errorsSoFar.split(separator: "\n").filter { $0.contains("not there") }
    #expect(told.count == 1, "\(stage.watch.errorsSoFar)")
    try #require(rename(elsewhere, root) == 0)
    try stage.wait("it is found") { try stage.local("unseen") != nil }
    try stage.expectEqual()
    try stage.stop()
  }

  @Test func `a refused log-in is tried once, told once, and again with another secret`() throws {
    let stage = try WatchStage()
    try stage.stop()
    try stage.mirror.configure { $0.password = "wrong" }
    stage.proxy.forget()
    let watch = try Child(
      stage.mirror.command(["watch", "--format", "jsonl"]), environment: stage.mirror.environment)
    func waitFor(_ words: String) throws {
      let end = monotonicSeconds() + WatchStage.hanging
      while !watch.outputSoFar.contains(words), monotonicSeconds() < end { pause(0.05) }
      try #require(watch.outputSoFar.contains(words), "\(watch.outputSoFar)")
    }
    try waitFor("\"refused\"")
    pause(3)
    watch.signal(SIGUSR1)
    pause(3)
    #expect(stage.proxy.connections == 1)
    #expect(watch.errorsSoFar.split(separator: "\n").count == 1, "\(watch.errorsSoFar)")
    let status = try stage.mirror.run(["status"])
    #expect(status.outputText.contains("refused"), "\(status.summary)")
    try stage.mirror.configure { $0.password = "pw" }
    watch.signal(SIGHUP)
    try waitFor("\"listening\"")
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }

  @Test func `what a command prints is another secret when it is another, and asked for seldom`()
    throws
  {
    let stage = try WatchStage()
    try stage.stop()
    let (secret, asked) = (stage.mirror.home + "/secret", stage.mirror.home + "/asked")
    try writeFile(secret, "wrong\n")
    try stage.mirror.configure { $0.passwordCommand = "echo >>\(asked); cat \(secret)" }
    stage.proxy.forget()
    func times() -> Int { (try? readFile(asked))?.count ?? 0 }
    let watch = try Child(
      stage.mirror.command(["watch", "--format", "jsonl"]), environment: stage.mirror.environment)
    func waitFor(_ isSo: () -> Bool) throws {
      let end = monotonicSeconds() + WatchStage.hanging
      while !isSo(), monotonicSeconds() < end { pause(0.05) }
      try #require(isSo(), "\(watch.outputSoFar) \(watch.errorsSoFar)")
    }
    try waitFor { watch.outputSoFar.contains("\"refused\"") }
    pause(2)
    #expect(stage.proxy.connections == 1)
    let before = times()
    watch.signal(SIGUSR1)
    try waitFor { times() > before }
    pause(2)
    #expect(times() == before + 1 && stage.proxy.connections == 1)
    #expect(watch.errorsSoFar.split(separator: "\n").count == 1, "\(watch.errorsSoFar)")
    try writeFile(secret, "pw\n")
    watch.signal(SIGUSR1)
    try waitFor { watch.outputSoFar.contains("\"listening\"") }
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }

  @Test func `a second watch of an account ends, and other commands take turns`() throws {
    let stage = try WatchStage { try $0.append(SampleMessage(token: "m"), to: "INBOX") }
    let second = try stage.mirror.run(["watch"], limit: WatchStage.hanging)
    #expect(second.ending == .exited(75), "\(second.summary)")
    for verb in ["pull", "push", "sync", "status", "verify"] {
      let outcome = try stage.mirror.run([verb], limit: WatchStage.hanging)
      #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    }
    let status = try stage.mirror.run(["status"])
    #expect(status.outputText.contains("watched by NOTIFY"), "\(status.summary)")
    try stage.arrival("after")
    try stage.stop()
  }

  @Test func `a configuration that is read again counts, and one with a mistake does not`() throws {
    let stage = try WatchStage()
    #expect(stage.way == "notify")
    let good = try readFile(stage.mirror.configuration)
    try writeFile(stage.mirror.configuration, good + Array("\nmistake = 1\n".utf8))
    stage.watch.signal(SIGHUP)
    try stage.wait("the mistake is told") { stage.watch.errorsSoFar.contains("mistake") }
    try stage.arrival("still")
    try stage.mirror.configure { $0.watch = "on-arrival = \"cat >>$HOME/arrived\"" }
    let before = stage.events.count
    stage.watch.signal(SIGHUP)
    try stage.wait("it listens anew") {
      stage.events.dropFirst(before).contains { $0.state == "idle" } && stage.listens
    }
    try stage.arrival("told")
    try stage.wait("the program runs") { exists(stage.mirror.home + "/arrived") }
    try stage.stop()
  }
}
