import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Lines that break, sleep, trees that are gone, refused log-ins, others at work.
@Suite(.onBlockingThreads, .enabled(if: WatchStage.isPossible && Machine.watches), .serialized)
struct WatchTroubleTests {
  @Test func `a line that is cut is opened again at once`() throws {
    let stage = try WatchStage()
    pause(31)  // One that did not last is tried again later.
    stage.proxy.cutAll()
    #expect(try stage.arrival("after") < 5)
    try stage.stop()
  }

  @Test func `after a sleep new mail comes, also where the line is dead and nobody says so`() throws
  {
    let stage = try WatchStage()
    stage.watch.signal(SIGSTOP)
    stage.proxy.holdAll()
    try stage.append("slept")
    pause(1)
    stage.watch.signal(SIGCONT)
    #expect(try stage.wait("it arrives") { try stage.local("slept") != nil } < 5)
    // The dead line is found to be so, and another one opened.
    try stage.arrival("awake", limit: 40)
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
    try stage.wait("it is found", limit: 90) { try stage.local("unseen") != nil }
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
      let end = monotonicSeconds() + 30
      while !watch.outputSoFar.contains(words), monotonicSeconds() < end { pause(0.05) }
      try #require(watch.outputSoFar.contains(words), "\(watch.outputSoFar)")
    }
    try waitFor("\"refused\"")
    pause(5)
    watch.signal(SIGUSR1)
    pause(2)
    #expect(stage.proxy.connections == 1)
    #expect(watch.errorsSoFar.split(separator: "\n").count == 1, "\(watch.errorsSoFar)")
    let status = try stage.mirror.run(["status"])
    #expect(status.outputText.contains("refused"), "\(status.summary)")
    try stage.mirror.configure { $0.password = "pw" }
    watch.signal(SIGHUP)
    try waitFor("\"listening\"")
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: 10).ending == .exited(0))
  }

  @Test func `a second watch of an account ends, and other commands take turns`() throws {
    let stage = try WatchStage { try $0.append(SampleMessage(token: "m"), to: "INBOX") }
    let second = try stage.mirror.run(["watch"], limit: 20)
    #expect(second.ending == .exited(75), "\(second.summary)")
    for verb in ["pull", "push", "sync", "status", "verify"] {
      let outcome = try stage.mirror.run([verb], limit: 60)
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
    #expect(try stage.arrival("still") < 10)
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

  @Test(arguments: 1...3)
  func `killed at any moment, with both sides at work, it loses and doubles nothing`(seed: UInt64)
    throws
  {
    let stage = try WatchStage { client in
      try client.create("Other")
      try client.append((0..<30).map { SampleMessage(token: "s\($0)x") }, to: "INBOX")
    }
    var random = SeededGenerator(seed: seed)
    for round in 0..<6 {
      for step in 0..<6 {
        switch Int(random.next() % 5) {
        case 0: try stage.append("r\(round)-\(step)x", to: ["INBOX", "Other"][step % 2])
        case 1, 2:
          let tree = try stage.mirror.tree()
          if let message = tree["INBOX"].randomElement(using: &random) {
            let letters = ["S", "F", "FS", ""][Int(random.next() % 4)]
            _ = rename(
              "\(stage.mirror.account)/\(message.path)",
              "\(stage.mirror.account)/INBOX/cur/\(message.base):2,\(letters)")
          }
        case 3:
          let tree = try stage.mirror.tree()
          if let message = tree["INBOX"].randomElement(using: &random) {
            _ = rename(
              "\(stage.mirror.account)/\(message.path)",
              "\(stage.mirror.account)/Other/cur/\(message.base):2,S")
          }
        default:
          let uids = try stage.client.uids(in: "INBOX")
          if let uid = uids.randomElement(using: &random) {
            try stage.client.store([uid], "+FLAGS", ["\\Answered"], in: "INBOX")
          }
        }
        pause(Double(random.next() % 700) / 1000)
      }
      if random.next() % 3 == 0 { stage.proxy.cutAll() }
      try stage.startAgain()
    }
    try stage.expectEqual()
    try stage.stop()
  }
}
