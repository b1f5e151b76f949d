import CLISupport
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Gives an account's `on-arrival` program lines on its standard input: once for a batch of new mail, and never two at a
/// time. What comes while it runs is the next batch. It has a minute, and neither it nor its mistakes end the watch.
final class ArrivalHook: Sendable {
  private struct State {
    var lines: [String] = []
    var isRunning = false
  }

  private let account: String
  private let argv: [String]
  private let reporter: WatchReporter
  private let state = Mutex(State())

  private static let timeLimit = DispatchTimeInterval.seconds(60)
  /// Of lines that wait for a program that does not end.
  private static let most = 10_000

  init(account: String, argv: [String], reporter: WatchReporter) {
    (self.account, self.argv, self.reporter) = (account, argv, reporter)
  }

  func give(_ lines: [String]) {
    guard !argv.isEmpty, !lines.isEmpty else { return }
    let starts = state.withLock { state in
      state.lines = (state.lines + lines).suffix(Self.most)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    let thread = Thread { [self] in
      while let batch = next() { run(batch) }
    }
    thread.stackSize = 1 << 20
    thread.start()
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
    let process = Process()
    // By env(1), which looks for the program as a shell does.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["--"] + argv
    process.standardInput = input
    // Standard output is the watch's own.
    process.standardOutput = FileHandle.standardError
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      return tell("could not be run", "Look at on-arrival in the configuration.")
    }
    if ended.wait(timeout: .now() + Self.timeLimit) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      _ = ended.wait(timeout: .now() + .seconds(1))
      return tell("did not end within a minute, and was ended", nil)
    }
    if process.terminationReason == .uncaughtSignal {
      tell("was killed by signal \(process.terminationStatus)", nil)
    } else if process.terminationStatus != 0 {
      tell("failed with status \(process.terminationStatus)", nil)
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
