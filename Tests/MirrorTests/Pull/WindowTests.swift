import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a window leaves out is neither lost, nor fetched, nor taken for somebody's own mail.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct WindowTests {
  private let now = Int64(time(nil))

  private func append(
    _ token: String, to mailbox: String = "Arch", age days: Int64, flags: [String] = [],
    on scenario: Scenario
  ) throws {
    try scenario.client.append(
      SampleMessage(token: token, date: now - days * 86_400, flags: flags), to: mailbox)
  }

  private func configure(_ scenario: Scenario, _ window: String) throws {
    try scenario.mirror.configure { $0.sync = "window = \"\(window)\"" }
  }

  private func removeState(_ scenario: Scenario) {
    removeTree(scenario.mirror.account + "/.mirror")
    removeTree(scenario.mirror.home + "/.local")
  }

  private func uploads(_ scenario: Scenario) throws -> String {
    let text = try scenario.mirror.run(["status", "--format", "json"]).outputText
    return text.split(separator: "\n").first { $0.contains("\"uploads\"") }.map(String.init) ?? text
  }

  @Test func `a mailbox that the server no longer has loses nothing to the window`() throws {
    let scenario = try Scenario()
    try scenario.client.create("Arch")
    try append("old", age: 100, on: scenario)
    try append("young", age: 1, on: scenario)
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("old@")), "S")
    try configure(scenario, "30d")
    try scenario.pull()
    #expect(try scenario.local("old@") != nil, "it has a change pending")
    try scenario.client.delete("Arch")
    try scenario.pull()
    // The change is taken back: nothing is pending any more, and this is the only copy in the world.
    try reader.setFlags(#require(try scenario.local("old@")), "")
    try scenario.pull()
    #expect(try scenario.local("old@") != nil && scenario.local("young@") != nil)
  }

  @Test func `files outside the window are adopted, not taken for new ones`() throws {
    let scenario = try Scenario()
    try scenario.client.create("Arch")
    for name in ["f0", "f1", "f2"] {
      try append(name, age: 100, flags: ["\\Flagged"], on: scenario)
    }
    for name in ["o0", "o1"] { try append(name, age: 100, on: scenario) }
    for name in ["y0", "y1"] { try append(name, age: 1, on: scenario) }
    try scenario.pull()
    removeState(scenario)
    try configure(scenario, "30d")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    let tree = try scenario.mirror.tree()
    #expect(tree["Arch"].count == 5, "flagged mail stays, the rest leaves the window")
    #expect(try uploads(scenario).contains(": 0"))
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.status == 0 && !verified.summary.contains("local ones"), "\(verified.summary)")
    try configure(scenario, "all")
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `a renumbered mailbox keeps its files outside the window`() throws {
    let scenario = try Scenario()
    func deliver() throws {
      try scenario.client.create("Arch")
      for name in ["f0", "f1"] { try append(name, age: 100, flags: ["\\Flagged"], on: scenario) }
      for name in ["o0", "o1"] { try append(name, age: 100, on: scenario) }
      try append("y0", age: 1, on: scenario)
    }
    try deliver()
    try configure(scenario, "30d")
    try scenario.pull()
    try configure(scenario, "all")
    try scenario.pull()
    try configure(scenario, "30d")
    try scenario.pull()
    #expect(try scenario.mirror.tree()["Arch"].count == 3)
    // Under its old name, with new numbers.
    pause(1.1)
    try scenario.client.delete("Arch")
    try deliver()
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree()["Arch"].count == 3)
    #expect(try uploads(scenario).contains(": 0"))
    try configure(scenario, "all")
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `what was edited while the state was away stays, whatever the window says`() throws {
    let scenario = try Scenario()
    try scenario.client.create("Arch")
    for name in ["o0", "o1", "o2"] { try append(name, age: 100, on: scenario) }
    try scenario.pull()
    removeState(scenario)
    let reader = Reader(scenario.mirror)
    let edited = try #require(try scenario.local("o0@"))
    try reader.rewrite(edited, edited.raw + Array("a new paragraph\n".utf8))
    // Another tool's line in the header is no edit.
    let marked = try #require(try scenario.local("o1@"))
    try reader.rewrite(marked, Array("X-TUID: abcdefghijkl\n".utf8) + marked.raw)
    try configure(scenario, "30d")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    let tree = try scenario.mirror.tree()
    #expect(tree["Arch"].count == 1)
    #expect(tree.message(with: "o0@")?.raw.count == edited.raw.count + 16)
  }

  @Test func `files outside a window by size are adopted, too`() throws {
    let scenario = try Scenario()
    try scenario.client.create("Arch")
    let body = String(repeating: "x", count: 2000)
    for number in 0..<8 {
      try scenario.client.append(
        SampleMessage(
          token: "s\(number)", body: body, date: now - Int64(20 - number) * 86_400,
          flags: number == 0 ? ["\\Flagged"] : []), to: "Arch")
    }
    try scenario.pull()
    removeState(scenario)
    try configure(scenario, "7kB")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree()["Arch"].count == 4, "three fit, one is flagged")
    #expect(try uploads(scenario).contains(": 0"))
    try configure(scenario, "all")
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `from days to bytes, sizes are asked for once`() throws {
    let scenario = try Scenario()
    try scenario.client.create("Arch")
    for number in 0..<6 {
      try scenario.client.append(
        SampleMessage(
          token: "d\(number)", body: String(repeating: "x", count: 1000),
          date: now - Int64(10 + 10 * number) * 86_400), to: "Arch")
    }
    try configure(scenario, "35d")
    try scenario.pull()
    try configure(scenario, "2kB")
    try scenario.pull()
    try scenario.pull()
    #expect(scenario.proxy.commands(named: ["EXAMINE", "SELECT", "FETCH"]) == [])
  }
}
