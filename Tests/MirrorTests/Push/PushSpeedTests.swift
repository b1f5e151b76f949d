import Foundation
import MailTestKit
import Testing

/// Figures beside mbsync's, for whoever asks: `MIRROR_TEST_BENCH=1`.
@Suite(
  .onBlockingThreads, .serialized,
  .enabled(
    if: Machine.hasDovecot && Mbsync.isInstalled
      && ProcessInfo.processInfo.environment["MIRROR_TEST_BENCH"] != nil))
struct PushSpeedTests {
  @Test func `1,000 flags over 10 mailboxes at 50 ms`() throws {
    let scenario = try Scenario()
    for number in 0..<10 {
      try scenario.client.create("box\(number)")
      try scenario.fill(200, seed: UInt64(number + 1), mailbox: "box\(number)")
    }
    try scenario.pull()
    let peer = scenario.mirror.home + "/peer"
    try makeDirectory(peer)
    try mbsync(scenario, peer)
    for tree in [scenario.mirror.account, peer] {
      for number in 0..<10 { try flag(100, in: "\(tree)/box\(number)") }
    }
    var slow = TCPProxy.Conditions()
    slow.delay = 0.025
    scenario.proxy.conditions = slow
    let ours = try scenario.push()
    let turns = scenario.proxy.records.map(\.turns)
    let theirs = try mbsync(scenario, peer)
    print(
      "BENCH push of 1,000 flags: \(ours.seconds) s, turns \(turns); mbsync \(theirs.seconds) s; "
        + "ratio \(ours.seconds / theirs.seconds)")
  }

  @Test func `a push with nothing to do over 50,000 messages`() throws {
    let scenario = try Scenario()
    for _ in 0..<5 { try scenario.fill(10_000, profile: .list) }
    try scenario.pull()
    pause(3)
    let first = try scenario.push()
    let second = try scenario.push()
    print("BENCH no-op push of 50,000: first \(first.seconds) s, then \(second.seconds) s")
  }

  private func flag(_ count: Int, in folder: String) throws {
    var left = count
    for part in ["new", "cur"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(part)").sorted()
      where left > 0 {
        let base = name.components(separatedBy: ":2,")[0]
        let flags = name.contains(":2,") ? name.components(separatedBy: ":2,")[1] : ""
        guard !flags.contains("F") else { continue }
        left -= 1
        let sorted = String((flags + "F").sorted())
        rename("\(folder)/\(part)/\(name)", "\(folder)/cur/\(base):2,\(sorted)")
      }
    }
  }

  @discardableResult
  private func mbsync(_ scenario: Scenario, _ tree: String) throws -> Outcome {
    let file = scenario.mirror.home + "/mbsyncrc"
    try writeFile(
      file,
      """
      IMAPAccount a
      Host 127.0.0.1
      Port \(scenario.proxy.port)
      User \(scenario.user)
      Pass pw
      SSLType None
      AuthMechs LOGIN

      IMAPStore far
      Account a

      MaildirStore near
      Path \(tree)/
      Inbox \(tree)/INBOX
      SubFolders Verbatim

      Channel c
      Far :far:
      Near :near:
      Patterns *
      Create Near
      Sync All
      SyncState *

      """)
    return try run(
      ["mbsync", "-q", "-c", file, "-a"],
      environment: ["HOME": scenario.mirror.home, "PATH": "/usr/bin:/bin"])
  }
}
