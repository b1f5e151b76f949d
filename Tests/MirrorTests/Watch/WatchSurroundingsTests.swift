import Foundation
import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a machine does to a watch: another network, disks that are full, read-only or gone, limits, a clock that is set.
@Suite(
  .onWaitingThreads, .enabled(if: WatchStage.isPossible && Machine.canMountPrivately), .serialized)
struct WatchSurroundingsTests {
  private static func filled(_ count: Int) -> (IMAPTestClient) throws -> Void {
    { try $0.append((0..<count).map { SampleMessage(token: "m\($0)x") }, to: "INBOX") }
  }

  @Test(.enabled(if: PrivateNetwork.canGrow))
  func `another network ends the wait for the next attempt, and makes no storm`() throws {
    let network = try PrivateNetwork()
    let account = MailAccount(["INBOX"])
    let (server, proxy) = try network.within {
      let server = try ModelServer(account, .modern)
      return (server, try TCPProxy(to: server.port))
    }
    defer { withExtendedLifetime(server) {} }
    var settings = AccountSettings(port: proxy.port, user: "u")
    settings.watch = "poll = \"5s\""
    let mirror = try MirrorProgram(settings)
    let watch = try network.within {
      try Child(mirror.command(["watch", "--format", "jsonl"]), environment: mirror.environment)
    }
    func wait(_ words: String, times: Int = 1) throws {
      let end = monotonicSeconds() + 90
      func count() -> Int { watch.outputSoFar.components(separatedBy: words).count - 1 }
      while count() < times, monotonicSeconds() < end { pause(0.1) }
      try #require(count() >= times, "\(words)\n\(watch.outputSoFar)\n\(watch.errorsSoFar)")
    }
    try wait("\"listening\"")
    proxy.conditions.refuses = true
    proxy.cutAll()
    account.deliver(SampleMessage(token: "meanwhile"), labelled: ["INBOX"])
    // Waits grow: the fourth is two minutes, and nothing but the network ends it before.
    try wait("\"retry-scheduled\"", times: 3)
    let asked = proxy.connections
    proxy.conditions.refuses = false
    try network.within {
      for words in ["add d0 type dummy", "set d0 up", "set d0 down", "set d0 up"] {
        try runSuccessfully(["ip", "link"] + words.split(separator: " ").map(String.init))
      }
      try runSuccessfully(["ip", "address", "add", "192.0.2.1/24", "dev", "d0"])
    }
    let end = monotonicSeconds() + 30
    while try mirror.tree().message(with: "meanwhile") == nil, monotonicSeconds() < end {
      pause(0.1)
    }
    #expect(try mirror.tree().message(with: "meanwhile") != nil, "\(watch.outputSoFar)")
    #expect(proxy.connections - asked <= 4, "one to listen by, others to pull")
    watch.signal(SIGTERM)
    #expect(try watch.wait(limit: WatchStage.hanging).ending == .exited(0))
  }

  @Test func `a system that has no watches left for the tree: it is looked at, and that is told`()
    throws
  {
    let limit = "echo 3 >/proc/sys/user/max_inotify_watches; exec \"$@\""
    let stage = try WatchStage(
      .init(), .init(under: ["unshare", "-U", "-r", "sh", "-c", limit, "sh"]),
      prepare: Self.filled(1))
    try stage.wait("it is told") {
      stage.watch.errorsSoFar.contains("max_user_watches")
    }
    try stage.mark("m0x", "FS")
    try stage.wait("the mark, within a minute") {
      try stage.flags("m0x")?.contains("\\Flagged") == true
    }
    let told = stage.watch.errorsSoFar.components(separatedBy: "max_user_watches").count - 1
    #expect(told == 1, "\(stage.watch.errorsSoFar)")
    try stage.stop()
  }

  @Test func `a folder that cannot be read is left alone, and the others go on`() throws {
    let none = "-dac_override,-dac_read_search"
    let stage = try WatchStage(
      .init(), .init(under: ["setpriv", "--bounding-set", none, "--inh-caps", none])
    ) { client in
      try client.create("Locked")
      try client.append(SampleMessage(token: "inside"), to: "Locked")
      try Self.filled(1)(client)
    }
    let folder = stage.mirror.account + "/Locked"
    try #require(chmod(folder + "/cur", 0) == 0 && chmod(folder + "/new", 0) == 0)
    try stage.append("unseen", to: "Locked")
    try stage.wait("it is told") { stage.watch.errorsSoFar.contains("Locked") }
    try stage.arrival("other")
    #expect(try stage.client.uids(in: "Locked").count == 2)
    try #require(chmod(folder + "/cur", 0o700) == 0 && chmod(folder + "/new", 0o700) == 0)
    stage.watch.signal(SIGUSR1)
    try stage.expectEqual()
    try stage.stop()
  }

  @Test func `a tree that is unmounted deletes nothing, and is found when it is mounted again`()
    throws
  {
    let home = try TemporaryDirectory("mounted")
    let disk = try TinyDisk(megabytes: 20)
    let root = home.path + "/Mail"
    try makeDirectory(root)
    let mount = "mount --bind \"$0\" \"$1\" && shift && exec \"$@\""
    let stage = try WatchStage(
      .init(), .init(under: ["unshare", "-m", "sh", "-c", mount, disk.path, root], root: root),
      prepare: Self.filled(25))
    func inside(_ command: String...) throws {
      try runSuccessfully(["nsenter", "-m", "-t", String(stage.watch.id)] + command)
    }
    func lies(_ token: String) throws -> Bool {
      try MaildirTree(disk.path + "/personal").message(with: token) != nil
    }
    try stage.wait("all are here") { try lies("m24x") }
    try inside("umount", "-l", root)
    // It is mounted elsewhere still: the system says nothing, and the next run finds it.
    try stage.append("unseen")
    try stage.wait("it is noticed") { stage.events.contains { $0.state == "tree-gone" } }
    stage.watch.signal(SIGUSR1)
    pause(8)
    #expect(names(in: root) == [], "nothing is made below the mount point")
    #expect(try stage.client.uids(in: "INBOX").count == 26)
    #expect(try stage.client.uids(in: "Trash") == [])
    try inside("mount", "--bind", disk.path, root)
    stage.watch.signal(SIGUSR1)
    try stage.wait("it is found") { try lies("unseen") }
    try stage.stop()
  }

  @Test(arguments: ["full", "read-only"])
  func `a disk that takes nothing is told of, and what came goes on when it does`(what: String)
    throws
  {
    let disk = try TinyDisk(megabytes: 8)
    let stage = try WatchStage(.init(), .init(root: disk.path + "/Mail"), prepare: Self.filled(2))
    let filler = disk.path + "/filler"
    // A moment after a run a file may be open still.
    if what == "read-only" {
      try stage.wait("it is read-only") { (try? disk.remount("ro")) != nil }
    }
    var (token, sent) = ("", 0)
    repeat {
      // What a run gives back as it ends may have room for a message.
      if what == "full" {
        _ = try run(["dd", "if=/dev/zero", "of=" + filler, "bs=4k", "oflag=append", "conv=notrunc"])
      }
      (token, sent) = ("unseen\(sent)", sent + 1)
      try stage.append(token)
      try stage.wait("it is told") {
        try stage.events.contains { $0.event == "problem" } || stage.local(token) != nil
      }
    } while try stage.local(token) != nil && sent < 50
    #expect(try stage.local(token) == nil)
    #expect(try stage.client.uids(in: "INBOX").count == 2 + sent)
    if what == "full" { unlink(filler) } else { try disk.remount("rw") }
    stage.watch.signal(SIGUSR1)
    try stage.wait("it arrives") { try stage.local(token) != nil }
    try stage.mark("m0x", "F")
    try stage.expectEqual()
    try stage.stop()
  }

  @Test(.enabled(if: findProgram("clang") != nil))
  func `a clock that is set back and forth changes nothing`() throws {
    let directory = try TemporaryDirectory("clock")
    let offset = directory.path + "/offset"
    try writeFile(offset, [UInt8](repeating: 0, count: 8))
    try writeFile(directory.path + "/clock.c", Self.clock)
    try runSuccessfully([
      "clang", "-shared", "-fPIC", "-o", directory.path + "/clock.so", directory.path + "/clock.c",
      "-ldl",
    ])
    let stage = try WatchStage(
      .init(),
      .init(environment: [
        "LD_PRELOAD": directory.path + "/clock.so", "MIRROR_TEST_CLOCK": offset,
      ]), prepare: Self.filled(6))
    let year: Int64 = 366 * 86400
    let file = open(offset, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    for (number, shift) in [-year, 3 * year, -10 * year, 1].enumerated() {
      try withUnsafeBytes(of: shift) { try #require(pwrite(file, $0.baseAddress, 8, 0) == 8) }
      try stage.arrival("c\(number)")
      try stage.mark("m\(number)x", "F")
      try stage.wait("the mark") {
        try stage.flags("m\(number)x")?.contains("\\Flagged") == true
      }
    }
    try stage.expectEqual()
    #expect(stage.watch.errorsSoFar == "")
    try stage.stop()
  }

  /// Lets a process see the time of day as much later as a file says.
  private static let clock = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/time.h>
    #include <time.h>
    static volatile long *shift;
    __attribute__((constructor)) static void begin(void) {
      int file = open(getenv("MIRROR_TEST_CLOCK"), O_RDONLY);
      void *place = mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
      if (place != MAP_FAILED) shift = place;
    }
    int clock_gettime(clockid_t clock, struct timespec *time) {
      static int (*real)(clockid_t, struct timespec *);
      if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
      int status = real(clock, time);
      if (clock == CLOCK_REALTIME && shift) time->tv_sec += *shift;
      return status;
    }
    int gettimeofday(struct timeval *time, void *zone) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      time->tv_sec = now.tv_sec;
      time->tv_usec = now.tv_nsec / 1000;
      return 0;
    }
    time_t time(time_t *place) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      if (place) *place = now.tv_sec;
      return now.tv_sec;
    }
    """
}
