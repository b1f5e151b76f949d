#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs the program under strace, which kills it, or fails a call, at a chosen system call.
package struct FaultRun: Sendable {
  package let program: MirrorProgram
  package var arguments = ["pull", "--no-index"]
  /// Beside the program's own environment.
  package var more: [String: String] = [:]

  package init(_ program: MirrorProgram) { self.program = program }

  package static var isPossible: Bool {
    findProgram("strace") != nil
      && (try? MailTestKit.run(["strace", "-f", "-qq", "-o", "/dev/null", "true"]))?.status == 0
  }

  /// The calls that write, order or carry mail, each a place to die.
  package static let calls = [
    "write", "pwrite64", "writev", "fsync", "fdatasync", "syncfs", "rename", "renameat",
    "renameat2",
    "link", "linkat", "unlink", "unlinkat", "sendto", "sendmsg", "recvfrom", "read", "openat",
    "mkdir",
    "mkdirat", "ftruncate", "utimensat", "fallocate",
  ]

  /// How often each call is made by the thread that makes it most, in one run that is left alone.
  ///
  /// strace counts `when` for each thread by itself, so this is the last N that can hit.
  package func counts(of calls: [String] = FaultRun.calls) throws -> (
    outcome: Outcome, counts: [String: Int]
  ) {
    let log = program.home + "/strace"
    let outcome = try MailTestKit.run(
      [
        "strace", "-f", "-qq", "--seccomp-bpf", "-o", log, "-e",
        "trace=" + calls.joined(separator: ","),
      ]
        + program.command(arguments), environment: environment)
    var threads: [String: Int] = [:]
    for line in try readFile(log).split(separator: 10) {
      let text = String(decoding: line.prefix(60), as: UTF8.self)
      guard let open = text.firstIndex(of: "("), !text.contains("resumed>") else { continue }
      threads[String(text[..<open]), default: 0] += 1
    }
    var counts: [String: Int] = [:]
    for (thread, count) in threads {
      let call = String(thread.split(separator: " ").last ?? "")
      counts[call] = max(counts[call] ?? 0, count)
    }
    return (outcome, counts)
  }

  /// Runs with SIGKILL at the N-th such call of whichever thread gets there first.
  package func kill(at call: String, _ number: Int) throws -> Outcome {
    try inject("\(call):signal=SIGKILL:when=\(number)", call)
  }

  /// Runs with the N-th and every later such call failing.
  package func fail(_ call: String, with error: String, from number: Int, only: Bool = false) throws
    -> Outcome
  {
    try inject("\(call):error=\(error):when=\(number)\(only ? "" : "+")", call)
  }

  /// Runs with some such calls of each thread failing, counted for each by itself, and the later ones not.
  package func fail(_ call: String, with error: String, _ numbers: ClosedRange<Int>) throws
    -> Outcome
  {
    try inject("\(call):error=\(error):when=\(numbers.lowerBound)..\(numbers.upperBound)", call)
  }

  /// Runs with the N-th such call held up for some seconds, before or after it is made, and does something meanwhile.
  ///
  /// - Parameter moment: whether the call is being held, by what the others before it left to be seen.
  package func hold(
    _ call: String, _ number: Int, afterwards: Bool = false, when moment: () -> Bool,
    _ body: () throws -> Void
  ) throws -> Outcome {
    let delay = afterwards ? "delay_exit" : "delay_enter"
    let run = try Child(
      [
        "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
        "inject=\(call):\(delay)=2500000:when=\(number)",
      ] + program.command(arguments), environment: environment)
    let began = monotonicSeconds()
    while !moment() {
      guard !run.hasEnded, monotonicSeconds() - began < 60 else {
        throw KitError("\(call) number \(number) never came: \(try run.wait(limit: 0).summary)")
      }
      pause(0.01)
    }
    // While strace stands still, so does what it holds, however long the rest takes here.
    run.signal(SIGSTOP)
    do {
      defer { run.signal(SIGCONT) }
      try body()
    }
    return try run.wait()
  }

  private var environment: [String: String] { program.environment.merging(more) { $1 } }

  /// Without `--seccomp-bpf`: strace 6.1 with it sees the first call only, and no `when` beyond it hits.
  private func inject(_ what: String, _ call: String) throws -> Outcome {
    try MailTestKit.run(
      [
        "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(what)",
      ] + program.command(arguments), environment: environment)
  }
}
