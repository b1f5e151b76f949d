import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whatever ends an update, the next one makes the index whole: it says what a rebuild says.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct IndexKillTests {
  /// Ten kills of each tree, fifty in all.
  @Test(arguments: 1...(Machine.long ? 50 : 5))
  func `killed at random moments, an update goes on to what a rebuild gives`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let tree = try BusyTree(seed: UInt64(seed), count: 300)
    let index = tree.index
    // As long as a whole first run takes here and now; a later one is shorter.
    let whole = try index.runSuccessfully("update").seconds
    let idle = try index.runSuccessfully("update").seconds
    index.forget()
    var (kills, runs) = (0, 0)
    while kills < 10, runs < 100 {
      let isLong = runs == 0 || runs % 5 == 4
      let child = try isLong ? index.start("rebuild") : index.start("update")
      pause(random.unit() * (isLong ? whole : idle))
      child.signal(SIGKILL)
      let outcome = try child.wait()
      #expect(outcome.ending == .signalled(SIGKILL) || outcome.ending == .exited(0))
      if outcome.ending == .signalled(SIGKILL) { kills += 1 }
      runs += 1
      try tree.work(random.below(12))
    }
    #expect(kills == 10, "of \(runs) runs")
    try expectWhole(index)
  }

  /// The same at system calls, where writes and renames begin.
  @Test(
    .enabled(if: FaultRun.isPossible),
    arguments: ["pwrite64", "fsync", "fdatasync", "ftruncate", "openat", "unlink", "read"])
  func `killed at a system call, an update goes on to what a rebuild gives`(call: String) throws {
    var random = SeededGenerator(seed: UInt64(call.utf8.reduce(0) { $0 &+ Int($1) }))
    let tree = try BusyTree(seed: 99, count: 120)
    for _ in 0..<(Machine.long ? 30 : 6) {
      let number = 1 + random.below(random.pick([10, 60, 400]))
      _ = try run(
        [
          "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
          "inject=\(call):signal=SIGKILL:when=\(number)",
        ] + tree.index.command(["update"]), environment: tree.index.environment)
      try tree.work(random.below(8))
    }
    try expectWhole(tree.index)
  }

  /// A first build brings many: those that it does not examine itself are remembered until there is time for them.
  @Test(.enabled(if: FaultRun.isPossible))
  func `what a killed first build brought waits for its examination`() throws {
    let index = try BusyTree(seed: 7, count: 450).index
    let trace = "\(index.root).trace"
    defer { removeTree(trace) }
    func build(killedAt write: Int?) throws {
      index.forget()
      let inject = write.map { ["-e", "inject=pwrite64:signal=SIGKILL:when=\($0)"] } ?? []
      _ = try run(
        ["strace", "-f", "-qq", "-o", trace, "-e", "trace=pwrite64,openat"] + inject
          + index.command(["update"]), environment: index.environment)
    }
    try build(killedAt: nil)
    let last = try writesBeforeExamination(trace)
    for write in (last - 11)...last {
      try build(killedAt: write)
      try index.runSuccessfully("update")
      let fact = try index.sql("SELECT value FROM meta WHERE key = 'unexamined_below'")
      #expect(fact.count == 1, "\(last - write) writes before it")
    }
  }

  /// Of the main thread, as strace counts each thread's calls by themselves. Files are opened to be indexed, and then the newest
  /// to be examined: nowhere else are so many writes between two of them.
  private func writesBeforeExamination(_ trace: String) throws -> Int {
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    let thread = try #require(lines.first).prefix { $0 != " " }
    var (writes, last) = (0, 0)
    var longest = (gap: 0, end: 0)
    for line in lines where line.hasPrefix(thread) {
      if line.contains("pwrite64(") { writes += 1 }
      guard line.contains(".busy") else { continue }
      if writes - last > longest.gap, last > 0 { longest = (writes - last, writes) }
      last = writes
    }
    try #require(longest.gap > 20)
    return longest.end
  }

  /// No kills at all: years of updates against a rebuild.
  @Test(arguments: 1...(Machine.long ? 40 : 4))
  func `many updates give what a rebuild gives`(seed: Int) throws {
    let tree = try BusyTree(seed: UInt64(1000 + seed), count: 60)
    for _ in 0..<12 {
      try tree.index.runSuccessfully("update")
      try tree.work(6)
    }
    try expectWhole(tree.index)
  }

  /// One update, then all is whole; a rebuild says the same; one more update changes nothing.
  private func expectWhole(_ index: IndexProgram, location: SourceLocation = #_sourceLocation)
    throws
  {
    try index.runSuccessfully("update")
    let check = try index.run("check")
    #expect(check.status == 0, "\(check.summary)", sourceLocation: location)
    #expect(try index.sql("PRAGMA integrity_check") == [["ok"]], sourceLocation: location)
    let updated = try IndexContent(index)
    try index.runSuccessfully("update")
    #expect(try IndexContent(index) == updated, "one more update", sourceLocation: location)
    try index.runSuccessfully("rebuild")
    let rebuilt = try IndexContent(index)
    #expect(updated.differences(rebuilt) == [], sourceLocation: location)
    let files = try index.sql("SELECT path FROM files").map { $0[0] }.sorted()
    let there = try ["personal", "work"].flatMap { account in
      isDirectory("\(index.root)/\(account)")
        ? try MaildirTree("\(index.root)/\(account)").messages.map { "\(account)/\($0.path)" } : []
    }.sorted()
    #expect(files == there, sourceLocation: location)
  }
}
