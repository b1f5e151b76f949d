import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Access tokens that run out while a line waits.
@Suite(.onWaitingThreads, .enabled(if: WatchStage.isPossible), .serialized)
struct WatchTokenTests {
  private func watch(_ scenario: TokenScenario) throws -> Child {
    let watch = try Child(
      scenario.mirror.command(["watch", "personal", "--format", "jsonl"]),
      environment: scenario.mirror.environment)
    try wait("it listens", watch) { watch.outputSoFar.contains("\"listening\"") }
    return watch
  }

  private func wait(
    _ what: String, _ watch: Child, limit: Double = WatchStage.hanging, until isSo: () -> Bool
  ) throws {
    let end = monotonicSeconds() + limit
    while !isSo(), monotonicSeconds() < end { pause(0.02) }
    try #require(isSo(), "\(what)\n\(watch.outputSoFar)\n\(watch.errorsSoFar)")
  }

  @Test func `a token that ran out is renewed, and the line stands again`() throws {
    let scenario = try TokenScenario()
    try scenario.signIn()
    let watch = try watch(scenario)
    scenario.tokens.expireTokens()
    scenario.proxy.cutAll()
    try wait("renewed", watch) { !scenario.tokens.refreshes().isEmpty }
    try scenario.client.append(SampleMessage(token: "renewed"), to: "INBOX")
    try wait("it arrives", watch) {
      (try? scenario.mirror.tree().message(with: "renewed")) ?? nil != nil
    }
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }

  @Test func `a log-in that was revoked is told once, and not tried each five seconds`() throws {
    let scenario = try TokenScenario()
    try scenario.signIn()
    let watch = try watch(scenario)
    scenario.tokens.behaviour.refusesRefresh = true
    scenario.tokens.expireTokens()
    scenario.proxy.cutAll()
    try wait("it is told", watch) { watch.outputSoFar.contains("\"refused\"") }
    let (asked, connections) = (scenario.tokens.requests.count, scenario.proxy.connections)
    pause(12)
    #expect(scenario.tokens.requests.count == asked)
    #expect(scenario.proxy.connections == connections)
    #expect(watch.errorsSoFar.split(separator: "\n").count <= 2, "\(watch.errorsSoFar)")
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }
}
