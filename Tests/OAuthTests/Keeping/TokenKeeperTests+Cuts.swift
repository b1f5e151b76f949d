import Foundation
import MailCore
import MailTestKit
import Settings
import Testing

@testable import OAuth

/// Renewals that are cut short.
extension TokenKeeperTests {
  @Test func `a run that is stopped while it renews loses no token`() async throws {
    let bench = try Bench()
    bench.tokens.behaviour.rotates = true
    try await bench.signIn()
    bench.clock.pass(3600)
    bench.tokens.behaviour.delay = 0.7
    let stopped = bench.keeper(isCancelled: { [tokens = bench.tokens] in
      !tokens.refreshes().isEmpty
    })
    _ = try await bench.token(stopped)
    bench.tokens.behaviour.delay = 0
    bench.clock.pass(3600)
    _ = try await bench.token().get()
    #expect(bench.tokens.refreshes().count == 2)
    #expect(try bench.keeper().status().state == .signedIn)
  }

  @Test func `a run that is stopped waits for no provider that is silent`() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.clock.pass(3600)
    bench.tokens.behaviour.delay = 600
    let stopped = bench.keeper(isCancelled: { [tokens = bench.tokens] in
      !tokens.refreshes().isEmpty
    })
    guard case .failure(let error) = try await bench.token(stopped) else {
      Issue.record("given")
      return
    }
    #expect(error.explanation.exitStatus == .interrupted)
    // Who is stopped already asks nothing.
    bench.tokens.forget()
    _ = try await bench.token(bench.keeper(isCancelled: { true }))
    #expect(bench.tokens.requests.isEmpty)
  }

  @Test func `nothing is asked of the provider where its answer could not be kept`() async throws {
    let bench = try Bench()
    bench.tokens.behaviour.rotates = true
    try await bench.signIn()
    bench.clock.pass(3600)
    try FileManager.default.createDirectory(
      atPath: bench.draft, withIntermediateDirectories: false)
    guard case .failure(let error) = try await bench.token() else {
      Issue.record("given")
      return
    }
    #expect(error.explanation.exitStatus == .configuration)
    #expect(bench.tokens.requests.isEmpty)
    try FileManager.default.removeItem(atPath: bench.draft)
    _ = try await bench.token().get()
  }

  @Test(.enabled(if: TinyDisk.isPossible)) func `a full disk costs no log-in`() async throws {
    let bench = try Bench()
    bench.tokens.behaviour.rotates = true
    let disk = try TinyDisk(megabytes: 1)
    bench.tokens.admit(refreshToken: "refresh-token-1")
    let keeper = TokenKeeper(
      account: "work", user: "me", server: AuthorizationServer(client: client(of: bench.tokens)),
      directory: disk.path + "/oauth", now: { [clock = bench.clock] in clock.now })
    try await offPool {
      try keeper.signedIn(
        TokenGrant(
          accessToken: Secret("first-access-token"), refreshToken: Secret("refresh-token-1"),
          lifetime: 3600))
    }
    let filler = disk.path + "/filler"
    let handle = try #require(fopen(filler, "w"))
    let block = [UInt8](repeating: 1, count: 4096)
    while fwrite(block, 1, block.count, handle) == block.count, fflush(handle) == 0 {}
    fclose(handle)
    bench.clock.pass(3600)
    guard case .failure(let error) = try await bench.token(keeper) else {
      Issue.record("given")
      return
    }
    #expect(error.explanation.problem.contains("space"), "\(error.explanation)")
    #expect(bench.tokens.requests.isEmpty)
    unlink(filler)
    _ = try await bench.token(keeper).get()
  }

  @Test func `what a killed run had written whole is taken, and nothing else`() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.tokens.admit(refreshToken: "refresh-token-2")
    let newer = bench.stored.replacing("refresh-token-1", with: "refresh-token-2")
    let cases: [([UInt8], String)] = [
      (Array(newer.utf8.dropLast(20)), "refresh-token-1"),
      ([UInt8](repeating: 0, count: 65536), "refresh-token-1"),
      (Array(newer.utf8), "refresh-token-2"),
    ]
    for (left, used) in cases {
      try writeFile(bench.draft, left, mode: 0o600)
      bench.clock.pass(3600)
      bench.tokens.forget()
      _ = try await bench.token().get()
      #expect(bench.tokens.refreshes().map { $0.form["refresh_token"] } == [used])
      #expect(!FileManager.default.fileExists(atPath: bench.draft))
    }
    try writeFile(bench.draft, Array(newer.utf8), mode: 0o600)
    let keeper = bench.keeper()
    _ = try await offPool { try keeper.signOut() }
    #expect(!FileManager.default.fileExists(atPath: bench.draft))
    #expect(try keeper.status().state == .never)
  }
}
