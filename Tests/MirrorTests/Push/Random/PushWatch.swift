import MailTestKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A watch beside a story.
final class PushWatch {
  private let child: Child
  /// How often it was asked to look at everything, and its own first look.
  private(set) var looks = 1

  init(_ mirror: MirrorProgram) throws {
    child = try mirror.start("watch", "--format", "jsonl")
    let end = monotonicSeconds() + 60
    while !child.outputSoFar.contains("\"listening\""), monotonicSeconds() < end { pause(0.05) }
  }

  deinit {
    child.signal(SIGKILL)
    _ = try? child.wait(limit: 10)
  }

  /// Has it look at everything until nothing is wrong any more; what still is after three minutes, in words. Drafts are
  /// left alone for a minute.
  func rest(_ problems: () throws -> [String]) throws -> [String] {
    let end = monotonicSeconds() + 180
    var next = 0.0
    while true {
      if monotonicSeconds() >= next {
        child.signal(SIGUSR1)
        looks += 1
        next = monotonicSeconds() + 10
      }
      pause(1)
      // What is seen may be on its way.
      let found: [String]
      do { found = try problems() } catch { found = ["\(error)"] }
      if found.isEmpty { return [] }
      guard !child.hasEnded, monotonicSeconds() < end else {
        return found + [String(child.outputSoFar.suffix(3000)), child.errorsSoFar]
      }
    }
  }
}
