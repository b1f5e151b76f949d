import Foundation
import MailTestKit
import Testing

/// What the machine has. A machine without a server skips the tests that need it; where
/// `MIRROR_TEST_REQUIRE` is set, as in CI, the first test below fails instead.
enum Machine {
  static let hasProgram = MirrorProgram.binary != nil
  static let hasIndexProgram = IndexProgram.binary != nil && findProgram("sqlite3") != nil
  static let hasDovecot = hasProgram && DovecotServer.isInstalled
  static let hasCyrus = hasProgram && CyrusServer.isInstalled
  static let canInject = hasDovecot && FaultRun.isPossible
  static let canMount = hasProgram && TinyDisk.isPossible
  /// Mounts that only one program sees.
  static let canMountPrivately =
    hasDovecot
    && (try? run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]))?.status == 0
  /// All tests of a full run, none filtered out.
  static let whole = ProcessInfo.processInfo.environment["MIRROR_TEST_WHOLE"] != nil
  /// Everything, however long it takes.
  static let long = ProcessInfo.processInfo.environment["MIRROR_TEST_LONG"] != nil
}

@Suite struct RequirementTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["MIRROR_TEST_REQUIRE"] != nil))
  func `nothing that the end-to-end tests need is missing`() {
    #expect(Machine.hasProgram, "build mirror, or set MIRROR_BIN")
    #expect(Machine.hasIndexProgram, "build mirror-index, or set MIRROR_INDEX_BIN")
    #expect(Machine.hasDovecot)
    #expect(Machine.hasCyrus)
    #expect(Machine.canInject)
    #expect(Machine.canMount && Machine.canMountPrivately)
    for program in [
      "mbsync", "offlineimap", "neomutt", "notmuch", "mu", "sqlite3", "python3", "mandoc", "tmux",
    ] {
      #expect(findProgram(program) != nil, "\(program)")
    }
  }
}
