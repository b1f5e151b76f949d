import Foundation
import MailTestKit
import Testing

/// A pull follows another client's renames and is killed on the way, at every rename, sync and write to the state; what
/// comes next, a pull or a push, goes on where it was.
@Suite(.onBlockingThreads, .enabled(if: Machine.canInject)) struct KilledRenameTests {
  /// What another client does, and where the messages are behind it.
  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    let mailboxes: [String]
    /// In the tree, with nothing in it, where a folder is to go.
    var ownFolder: String?
    let places: [String: String]
    let apply: @Sendable (IMAPTestClient) throws -> Void
  }

  static let changes = [
    // `x` makes room for `y`, and what lies below it stays where it is.
    Change(
      testDescription: "a deleted one's place is taken", mailboxes: ["x", "x/sub", "y"],
      places: ["x/sub": "x/sub", "y": "x"]
    ) { client in
      try client.rename("x/sub", to: "tt")
      try client.delete("x")
      try client.rename("y", to: "x")
      try client.rename("tt", to: "x/sub")
    },
    Change(
      testDescription: "two take each other's", mailboxes: ["a", "a/k", "b"],
      places: ["a": "b", "a/k": "b/k", "b": "a"]
    ) { client in
      try client.rename("a", to: "tt")
      try client.rename("b", to: "a")
      try client.rename("tt", to: "b")
    },
    Change(
      testDescription: "one ends below itself", mailboxes: ["job", "job/k"],
      places: ["job": "job/x", "job/k": "job/x/k"]
    ) { client in
      try client.rename("job", to: "tt")
      try client.rename("tt", to: "job/x")
    },
    Change(
      testDescription: "a folder is there", mailboxes: ["m"], ownFolder: "n", places: ["m": "n"]
    ) { client in
      try client.rename("m", to: "n")
    },
  ]

  private func token(_ mailbox: String) -> String { mailbox.filter { $0 != "/" } + "0" }

  private func changed(_ change: Change) throws -> Scenario {
    let scenario = try Scenario()
    for name in change.mailboxes {
      try scenario.client.create(name)
      try scenario.append((0..<3).map { token(name) + ["", "b", "c"][$0] }, to: name)
    }
    try scenario.pull()
    if let own = change.ownFolder {
      for part in ["cur", "new", "tmp"] {
        try FileManager.default.createDirectory(
          atPath: "\(scenario.mirror.account)/\(own)/\(part)", withIntermediateDirectories: true)
      }
    }
    try change.apply(scenario.client)
    scenario.proxy.forget()
    return scenario
  }

  private func run(_ scenario: Scenario) -> FaultRun {
    var run = FaultRun(scenario.mirror)
    run.arguments = ["pull", "--no-index"]
    return run
  }

  private static let calls = ["renameat2", "fsync", "pwrite64", "unlinkat"]

  @Test(arguments: changes, [["pull", "--no-index"], ["push"]])
  func `each folder comes to its place`(change: Change, next: [String]) throws {
    let probe = try changed(change)
    let (whole, counts) = try run(probe).counts(of: Self.calls)
    #expect(whole.status == 0, "\(whole.summary)")
    try expect(change, probe, "whole")
    #expect(counts["renameat2"] ?? 0 > 0)
    var kills = 0
    for (call, count) in counts {
      // SQLite writes often; in CI these are taken in steps.
      let step = call == "pwrite64" && !Machine.long ? 16 : 1
      for number in stride(from: 1, through: count, by: step) {
        let scenario = try changed(change)
        let killed = try run(scenario).kill(at: call, number)
        if killed.ending == .signalled(9) { kills += 1 }
        let foreseen = try scenario.mirror.run(["push", "--dry-run", "--format", "json"])
        for word in ["create", "rename", "move"] where change.ownFolder == nil || word != "create" {
          #expect(
            !foreseen.outputText.contains("\"kind\" : \"\(word)\""),
            "\(call) \(number): \(foreseen.summary)")
        }
        let then = try scenario.mirror.run(next)
        #expect([0, 1].contains(then.status), "\(call) \(number): \(then.summary)")
        #expect(scenario.proxy.changingCommands == [], "\(call) \(number): \(then.summary)")
        try scenario.pull()
        try expect(change, scenario, "\(call) \(number) of \(count)")
      }
    }
    print("killed \(kills) times: \(change.testDescription), then a \(next[0])")
    #expect(kills >= counts["renameat2"] ?? 0)
  }

  /// Files have names by then, and the state knows none of them.
  @Test(arguments: [["pull", "--no-index"], ["push"]])
  func `a first pull is killed before another client comes`(next: [String]) throws {
    let change = Change(testDescription: "", mailboxes: ["k"], places: ["k": "y"]) { client in
      try client.rename("k", to: "y")
    }
    func fresh() throws -> Scenario {
      let scenario = try Scenario()
      try scenario.client.create("k")
      try scenario.append((0..<3).map { token("k") + ["", "b", "c"][$0] }, to: "k")
      return scenario
    }
    let probe = try fresh()
    let (whole, counts) = try run(probe).counts(of: Self.calls)
    #expect(whole.status == 0, "\(whole.summary)")
    #expect(try probe.mirror.tree()["k"].count == 3)
    for (call, count) in counts {
      let step = call == "pwrite64" && !Machine.long ? 16 : 1
      for number in stride(from: 1, through: count, by: step) {
        let scenario = try fresh()
        _ = try run(scenario).kill(at: call, number)
        try change.apply(scenario.client)
        scenario.proxy.forget()
        let then = try scenario.mirror.run(next)
        #expect([0, 1].contains(then.status), "\(call) \(number): \(then.summary)")
        try scenario.pull()
        try expect(change, scenario, "\(call) \(number) of \(count)")
      }
    }
  }

  private func expect(_ change: Change, _ scenario: Scenario, _ point: String) throws {
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [], "\(point)")
    let tree = try scenario.mirror.tree()
    for (mailbox, place) in change.places {
      for part in ["", "b", "c"] {
        let token = token(mailbox) + part
        #expect(tree.message(with: token + "@")?.folder == place, "\(point): \(token)")
        #expect(tree.count(of: "<\(token)@") == 1, "\(point): \(token)")
      }
    }
    let folders = try FileManager.default.contentsOfDirectory(atPath: scenario.mirror.account)
    #expect(!folders.contains { $0.contains("(renamed") }, "\(point): \(folders)")
  }
}
