import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A disk that is not mounted is no empty folder: refused before anything is judged deleted, or downloaded anew.
///
/// The disk is a directory on another file system, which one run of the program, in a mount namespace of its own, finds
/// mounted at its place, and another does not.
@Suite(.onBlockingThreads, .enabled(if: Machine.canMountPrivately)) final class VanishedMountTests {
  private let scenario: Scenario
  private let disk: String

  init() throws {
    scenario = try Scenario()
    try scenario.append((0..<25).map { "m\($0)" })
    try scenario.append(["a0", "a1"], to: "Archive")
    let home = device(scenario.mirror.home)
    let parent = ["/dev/shm", "/tmp", "/var/tmp"].first { device($0) != home && device($0) != nil }
    disk = "\(try #require(parent))/mirror-disk-\(UInt64.random(in: 0...UInt64.max))"
  }

  deinit { removeTree(disk) }

  private func pullMounted(at place: String, _ status: Int32 = 0) throws {
    let command = try scenario.mirror.command(["pull", "--no-index"])
    scenario.proxy.forget()
    let outcome = try run(
      [
        "unshare", "-m", "sh", "-c", "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"", disk,
        place,
      ]
        + command, environment: scenario.mirror.environment)
    #expect(outcome.ending == .exited(status), "\(outcome.summary)")
  }

  /// Pulls into a tree part of which lies on the disk; then the disk is gone, and the server changes.
  private func vanish(_ place: String) throws {
    try makeDirectory(disk)
    try makeDirectory(place)
    try pullMounted(at: place)
    #expect(names(in: place) == [], "it all lies on the disk")
    try scenario.client.expunge([3], in: "INBOX")
    try scenario.append(["fresh"])
  }

  /// Once it is mounted again, nothing was lost and nothing comes twice.
  private func expectWhole(_ place: String) throws {
    try pullMounted(at: place)
    #expect(scenario.bodyFetches.count == 1, "only what is new")
    try pullMounted(at: place)
    #expect(scenario.bodyFetches == [])
  }

  enum Place: String, CaseIterable { case root, account }

  @Test(arguments: Place.allCases) func `a tree whose disk is not mounted is refused`(which: Place)
    throws
  {
    let place = which == .root ? scenario.mirror.root : scenario.mirror.account
    if which == .account { try makeDirectory(scenario.mirror.root) }
    try vanish(place)
    for arguments in [
      ["pull", "--no-index"], ["pull", "--no-index", "--dry-run"], ["push"], ["push", "--dry-run"],
      ["push", "--allow-mass-delete"], ["sync", "--no-index"],
    ] {
      scenario.proxy.forget()
      let outcome = try scenario.mirror.run(arguments)
      #expect(outcome.ending == .exited(77), "\(outcome.summary)")
      #expect(outcome.errorText.contains("mount"), "\(outcome.errorText)")
      #expect(scenario.proxy.connections == 0, "the server is not even asked")
      #expect(names(in: place) == [], "nothing is made below the mount point")
    }
    try expectWhole(place)
    let kept = try MaildirTree(which == .root ? disk + "/personal" : disk)
    #expect(kept["INBOX"].count == 25 && kept["Archive"].count == 2)
  }

  @Test func `a folder whose disk is not mounted is left alone, and the others go on`() throws {
    try makeDirectory(scenario.mirror.root)
    try makeDirectory(scenario.mirror.account)
    let inbox = scenario.mirror.account + "/INBOX"
    try vanish(inbox)
    try scenario.append(["a2"], to: "Archive")
    let outcome = try scenario.mirror.pull()
    #expect(outcome.ending == .exited(1), "\(outcome.summary)")
    #expect(outcome.errorText.contains("INBOX") && outcome.errorText.contains("mount"))
    #expect(names(in: inbox) == [], "nothing is made below the mount point")
    #expect(try scenario.mirror.tree()["Archive"].count == 3)
    try expectWhole(inbox)
    #expect(names(in: disk + "/cur").count + names(in: disk + "/new").count == 25)
  }
}

/// The file system that holds it.
private func device(_ path: String) -> UInt64? {
  var status = stat()
  return stat(path, &status) == 0 ? UInt64(status.st_dev) : nil
}

/// A tree that cannot be written can be read all the same.
@Suite(.onBlockingThreads, .enabled(if: Machine.canMountPrivately)) struct ReadOnlyMountTests {
  @Test func `status and verify read a tree that is mounted read-only`() throws {
    let home = try TemporaryDirectory("readonly")
    // SQLite is told of the file in an address.
    let scenario = try Scenario(root: home.path + "/a #b?c%41ä")
    try scenario.append(["m0", "m1", "m2"])
    try scenario.pull()
    for (command, said) in [("status", "3 messages"), ("verify", "3 messages")] {
      let outcome = try run(
        [
          "unshare", "-m", "sh", "-c",
          "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\"",
          scenario.mirror.root,
        ] + scenario.mirror.command([command]), environment: scenario.mirror.environment)
      #expect(outcome.status == 0 && outcome.outputText.contains(said), "\(outcome.summary)")
    }
    try scenario.expectQuiet()
  }
}
