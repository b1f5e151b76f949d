import Foundation
import MailTestKit
import Testing

/// `mirror forget` where the disk is full: it is a way to make room.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot && TinyDisk.isPossible))
struct ForgetFullDiskTests: ForgetStage {
  private struct Full {
    let disk: TinyDisk
    let scenario: Scenario
  }

  /// To the last byte.
  private func full(_ change: (Scenario) throws -> Void = { _ in }) throws -> Full {
    let disk = try TinyDisk(megabytes: 8)
    let scenario = try Scenario(root: disk.path + "/mail")
    try scenario.client.create("Trash")
    try scenario.append(["m0", "m1"])
    let pulled = try scenario.mirror.run(["pull"])
    #expect(pulled.status == 0, "\(pulled.summary)")
    #expect(exists(scenario.mirror.root + "/.mirror/index.db"))
    try change(scenario)
    #expect(FileManager.default.createFile(atPath: disk.path + "/fill", contents: nil))
    for size in [65_536, 4096] {
      let file = try #require(FileHandle(forWritingAtPath: disk.path + "/fill"))
      defer { try? file.close() }
      while (try? file.seekToEnd()) != nil,
        (try? file.write(contentsOf: [UInt8](repeating: 120, count: size))) != nil
      {}
    }
    return Full(disk: disk, scenario: scenario)
  }

  @Test func `the index makes room for what a removal writes`() throws {
    let full = try full()
    let outcome = try forget(full.scenario)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.errorText.contains("the index was removed to make room"), "\(outcome.summary)")
    try expectGone(full.scenario)
  }

  @Test func `what would be lost is found all the same`() throws {
    let full = try full { scenario in
      try Reader(scenario.mirror).setFlags(#require(try scenario.local("m0@")), "F")
    }
    let outcome = try forget(full.scenario)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 change not pushed"), "\(outcome.summary)")
    try expectWhole(full.scenario)
  }

  @Test func `without an index it says what helps, and nothing is touched`() throws {
    let full = try full { scenario in
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(
          atPath: scenario.mirror.root + "/.mirror/index.db" + suffix)
      }
    }
    let outcome = try forget(full.scenario)
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("Make room"), "\(outcome.summary)")
    try expectWhole(full.scenario)
    try FileManager.default.removeItem(atPath: full.disk.path + "/fill")
    #expect(try forget(full.scenario).status == 0)
    try expectGone(full.scenario)
  }
}
