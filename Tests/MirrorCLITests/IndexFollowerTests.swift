import CLISupport
import MailIndex
import Settings
import Synchronization
import Testing

@testable import MirrorCLI

@Suite struct IndexFollowerTests {
  private let errors = MemoryStream()

  @Test func `who waits for an update hears of none that failed`() async throws {
    let report = Report(
      program: "mirror", options: try CommonOptions.parse([]),
      console: Console(output: MemoryStream(), errors: errors), environment: [:])
    let (updates, heard) = (Counter(), Counter())
    let follower = IndexFollower(
      configuration: Configuration(path: "", root: "/nowhere", accounts: []), report: report,
      retries: .init(next: .milliseconds(10), longest: .milliseconds(20))
    ) { (_) throws(IndexError) in
      let number = updates.add()
      #expect(heard.value == 0)
      if number <= 3 { throw .locked }
    }
    follower.follow { heard.add() }
    for _ in 0..<6000 where heard.value == 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(heard.value == 1 && updates.value == 4)
    #expect(errors.lines.count == 1, "told once: \(errors.text)")
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  @discardableResult func add() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}
