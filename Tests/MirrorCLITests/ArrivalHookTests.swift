import CLISupport
import Foundation
import Testing

@testable import MirrorCLI

@Suite struct ArrivalHookTests {
  private let errors = MemoryStream()

  private func hook(_ script: String) throws -> ArrivalHook {
    let report = Report(
      program: "mirror", options: try CommonOptions.parse([]),
      console: Console(output: MemoryStream(), errors: errors), environment: [:])
    return ArrivalHook(
      account: "personal", argv: ["/bin/sh", "-c", script],
      reporter: WatchReporter(report: report, status: WatchStatusFile()))
  }

  private func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func wait(until isSo: () -> Bool) async throws {
    for _ in 0..<500 where !isSo() { try await Task.sleep(for: .milliseconds(20)) }
    #expect(isSo())
  }

  @Test func `what comes while it runs is one batch more, and nothing is lost`() async throws {
    let place = NSTemporaryDirectory() + "/hook-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: place) }
    let hook = try hook("(echo run; cat; sleep 0.3) >>'\(place)'")
    for number in 0..<10 { hook.give(["\(number)\n"]) }
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
}
