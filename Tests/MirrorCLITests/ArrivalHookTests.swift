import CLISupport
import Foundation
import Settings
import Testing

@testable import MirrorCLI

@Suite(.serialized) struct ArrivalHookTests {
  private let errors = MemoryStream()

  private func hook(_ script: String, timeLimit: Duration = .seconds(60)) throws -> ArrivalHook {
    let report = Report(
      program: "mirror", options: try CommonOptions.parse([]),
      console: Console(output: MemoryStream(), errors: errors), environment: [:])
    return ArrivalHook(
      account: "personal", argv: ["/bin/sh", "-c", script],
      reporter: WatchReporter(report: report, status: WatchStatusFile()), timeLimit: timeLimit)
  }

  private func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func wait(until isSo: () -> Bool) async throws {
    for _ in 0..<3000 where !isSo() { try await Task.sleep(for: .milliseconds(20)) }
    #expect(isSo())
  }

  @Test func `what comes while it runs is one batch more, and nothing is lost`() async throws {
    let place = NSTemporaryDirectory() + "/hook-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: place) }
    let all = place + ".all"
    defer { try? FileManager.default.removeItem(atPath: all) }
    let hook = try hook(
      "(echo run; cat; while [ ! -e '\(all)' ]; do sleep 0.05; done) >>'\(place)'")
    for number in 0..<10 { hook.give(["\(number)\n"]) }
    try Data().write(to: URL(filePath: all))
    try await wait { text(place).contains("9\n") }
    let lines = text(place).split(separator: "\n")
    #expect(lines.filter { $0 != "run" } == (0..<10).map { Substring("\($0)") })
    #expect(lines.count { $0 == "run" } <= 3)
  }

  @Test func `one that fails, or reads nothing, is told and ends nothing`() async throws {
    let hook = try hook("exit 7")
    hook.give([String(repeating: "x", count: 1 << 20) + "\n"])
    try await wait { errors.text.contains("failed with status 7") }
  }

  @Test func `what it leaves in the background does not hold up the next batch`() async throws {
    let place = NSTemporaryDirectory() + "/hook-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: place) }
    let hook = try hook("sleep 20 >/dev/null 2>&1 & cat >>'\(place)'")
    hook.give(["first\n"])
    try await wait { text(place) == "first\n" }
    hook.give(["second\n"])
    try await wait { text(place) == "first\nsecond\n" }
    #expect(errors.text.isEmpty)
  }

  @Test func `one that does not end is ended with all that it began`() async throws {
    let place = NSTemporaryDirectory() + "/hook-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: place) }
    let hook = try hook(
      "(sleep 10; echo late >>'\(place)') & wait", timeLimit: .milliseconds(200))
    hook.give(["first\n"])
    try await wait { errors.text.contains("did not end") }
    try await Task.sleep(for: .seconds(11))
    #expect(text(place).isEmpty)
  }

  @Test func `one that does not end does not outlive the watch`() async throws {
    let place = NSTemporaryDirectory() + "/hook-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: place) }
    let hook = try hook("echo begun >>'\(place)'; sleep 30; echo late >>'\(place)'")
    hook.give(["first\n"])
    try await wait { text(place) == "begun\n" }
    RunningCommands.ofArrivals.end(after: .milliseconds(50))
    try await wait { errors.text.contains("was killed by signal 15") }
    #expect(text(place) == "begun\n")
  }
}
