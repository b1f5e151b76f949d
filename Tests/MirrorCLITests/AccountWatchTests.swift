import CLISupport
import Foundation
import MailCore
import Settings
import Synchronization
import Testing
import Transport
import Watch
import WatchPlan

@testable import MirrorCLI

@Suite struct AccountWatchTests {
  @Test func `a stop that comes before a run has begun is meant for it`() throws {
    let place = NSTemporaryDirectory() + "/watch-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: place) }
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let watch = try accountWatch(root: place)
    let (gate, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let result = Mutex<RunResult?>(nil)
    watch.run(WatchRun(push: .everything, pull: nil)) { _ in gate.wait() }
    watch.run(WatchRun(push: nil, pull: .everything)) { end in
      result.withLock { $0 = end.pull }
      done.signal()
    }
    watch.interrupt()
    gate.signal()
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(result.withLock { $0 } == .interrupted)
    watch.end()
  }

  /// One whose server is not there.
  private func accountWatch(root: String) throws -> AccountWatch {
    let server = ServerSettings(
      host: "127.0.0.1", port: 1, tls: .none, user: "u", secret: .password(Secret("x")))
    let settings = AccountSettings(name: "a", imap: server)
    let configuration = Configuration(path: "config.toml", root: root, accounts: [settings])
    let report = Report(
      program: "mirror", options: try CommonOptions.parse([]),
      console: Console(output: MemoryStream(), errors: MemoryStream()), environment: [:])
    let status = WatchStatusFile()
    return AccountWatch(
      settings,
      session: MirrorSession(
        configuration: configuration, report: report, interrupt: Interrupt()),
      reporter: WatchReporter(report: report, status: status),
      index: IndexFollower(configuration: configuration, report: report), status: status)
  }
}
