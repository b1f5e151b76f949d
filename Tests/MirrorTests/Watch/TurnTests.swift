import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs beside a watch wait for their turn; runs beside one another do not.
@Suite(.onBlockingThreads) struct TurnTests {
  /// A lock as another process would have it.
  private final class HeldLock {
    private let file: Int32

    init(_ path: String) throws {
      file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
    }

    func release() { close(file) }
  }

  /// Where a watch of the stage's account has its lock.
  private func watchFile(_ stage: PushStage) throws -> String {
    let trees = stage.mirror.home + "/.local/state/mirror/trees"
    let names = try FileManager.default.contentsOfDirectory(atPath: trees)
    let record = try #require(names.first { $0.hasSuffix(".json") })
    return "\(trees)/\(record.dropLast(".json".count)).watch"
  }

  /// Waits until a signal finds the program prepared for it; before, it ends it as it does any other.
  private func waitUntil(_ child: Child, handles signal: Int32) throws {
    func handles() -> Bool {
      let text = String(
        decoding: (try? readFile("/proc/\(child.id)/status")) ?? [], as: UTF8.self)
      let mask = text.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?
        .split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }
      return (mask ?? 0) >> UInt64(signal - 1) & 1 == 1
    }
    try #require(eventually { handles() })
  }

  @Test(arguments: ["pull", "push", "sync"])
  func `beside a watch a run waits for its turn`(verb: String) throws {
    let stage = try PushStage(.modern)
    let watch = try HeldLock(watchFile(stage))
    let run = try HeldLock(stage.mirror.account + "/.mirror/lock")
    let waiting = try stage.mirror.start(verb)
    pause(1)
    #expect(!waiting.hasEnded)
    run.release()
    let outcome = try waiting.wait(limit: WatchStage.hanging)
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    watch.release()
  }

  @Test func `where nobody watches, the second run ends at once`() throws {
    let stage = try PushStage(.modern)
    // A watch that was killed leaves its file.
    try HeldLock(watchFile(stage)).release()
    let run = try HeldLock(stage.mirror.account + "/.mirror/lock")
    for verb in ["pull", "push", "sync"] {
      let outcome = try stage.mirror.run([verb], limit: WatchStage.hanging)
      #expect(outcome.ending == .exited(75), "\(outcome.summary)")
      #expect(outcome.seconds < 30, "as long as it would wait for its turn")
    }
    run.release()
  }

  @Test func `a run that waits for its turn can be stopped`() throws {
    let stage = try PushStage(.modern)
    let watch = try HeldLock(watchFile(stage))
    let run = try HeldLock(stage.mirror.account + "/.mirror/lock")
    let waiting = try stage.mirror.start("pull")
    try waitUntil(waiting, handles: SIGTERM)
    pause(1)
    waiting.signal(SIGTERM)
    let outcome = try waiting.wait(limit: WatchStage.hanging)
    #expect(outcome.ending == .exited(143), "\(outcome.summary)")
    run.release()
    watch.release()
  }
}
