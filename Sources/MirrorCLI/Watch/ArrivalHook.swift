import CLISupport
import Foundation
import MailCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Gives an account's `on-arrival` program lines on its standard input: once for a batch of new mail, and never two at a
/// time. What comes while it runs is the next batch. After a minute it is killed, with all that it began; neither it nor
/// its mistakes end the watch.
final class ArrivalHook: Sendable {
  private struct State {
    var lines: [String] = []
    var isRunning = false
  }

  private let account: String
  private let argv: [String]
  private let reporter: WatchReporter
  private let timeLimit: Duration
  private let state = Mutex(State())

  /// Of lines that wait for a program that does not end.
  private static let most = 10_000

  init(
    account: String, argv: [String], reporter: WatchReporter, timeLimit: Duration = .seconds(60)
  ) {
    (self.account, self.argv, self.reporter) = (account, argv, reporter)
    self.timeLimit = timeLimit
  }

  func give(_ lines: [String]) {
    guard !argv.isEmpty, !lines.isEmpty else { return }
    let starts = state.withLock { state in
      state.lines = (state.lines + lines).suffix(Self.most)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    let hasStarted = startThread(name: "on-arrival") { [self] in
      while let batch = next() { run(batch) }
    }
    guard !hasStarted else { return }
    state.withLock { $0.isRunning = false }
    tell("waits, because the system gives no more threads", nil)
  }

  private func next() -> [String]? {
    state.withLock { state in
      defer { state.lines = [] }
      state.isRunning = !state.lines.isEmpty
      return state.lines.isEmpty ? nil : state.lines
    }
  }

  private func run(_ lines: [String]) {
    guard let input = Self.file(holding: lines.joined()) else {
      return tell("could not be given its input", "Look whether the disk is full.")
    }
    // By env(1), which looks for the program as a shell does.
    let group = withExtendedLifetime(input) {
      ProcessGroup("/usr/bin/env", ["--"] + argv, input: $0.fileDescriptor)
    }
    guard let group else {
      return tell("could not be run", "Look at on-arrival in the configuration.")
    }
    switch group.wait(atMost: timeLimit) {
    case .exited(0): break
    case .exited(let status): tell("failed with status \(status)", nil)
    case .killed(let signal): tell("was killed by signal \(signal)", nil)
    case .timedOut: tell("did not end within a minute, and was ended", nil)
    }
  }

  private func tell(_ what: String, _ remedy: String?) {
    reporter.tell(account, "The on-arrival program \(what).", remedy, isNotice: true)
  }

  /// An open file without a name: whoever reads it slowly, or not at all, keeps nobody waiting.
  private static func file(holding text: String) -> FileHandle? {
    let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var name = Array("\(directory)/mirror-arrived.XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { return nil }
    unlink(name)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(text.utf8))
      try handle.seek(toOffset: 0)
      return handle
    } catch {
      return nil
    }
  }
}
