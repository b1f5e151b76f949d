import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A daemon that cannot outlive the test process.
///
/// A shell stands between: it holds the read end of a pipe, and when the pipe closes, because `stop` was
/// called or because the test process ended in whatever way, it ends the daemon and removes its directory.
package final class Supervised: @unchecked Sendable {  // `life` and `id` behind `lock`
  private let lock = NSLock()
  private var life: Int32
  private let id: pid_t

  /// - Parameters:
  ///   - directory: removed when all is over.
  ///   - log: the daemon's standard output and error.
  ///   - orphans: how the command lines look of processes that the daemon leaves, for pkill(1).
  package init(
    _ command: [String], removing directory: String? = nil, log: String = "/dev/null",
    orphans: String = ""
  ) throws {
    var ends: [Int32] = [0, 0]
    try descriptors.withLock {
      guard pipe(&ends) == 0 else { throw KitError.system("pipe", errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    defer { close(ends[0]) }
    let script = """
      directory=$1 log=$2 orphans=$3; shift 3
      trap '' INT TERM HUP
      if [ $# -gt 0 ]; then
        ( trap - INT TERM HUP; exec "$@" ) </dev/null >>"$log" 2>&1 &
        daemon=$!
      fi
      read -r _
      if [ -n "${daemon:-}" ]; then
        kill -TERM $daemon 2>/dev/null
        tries=0
        while kill -0 $daemon 2>/dev/null && [ $tries -lt 30 ]; do
          sleep 0.1; tries=$((tries + 1))
        done
        kill -KILL $daemon 2>/dev/null
        [ -z "$orphans" ] || pkill -KILL -f -- "^[^ ]*$orphans" 2>/dev/null
      fi
      tries=0
      while [ -n "$directory" ] && [ -e "$directory" ] && [ $tries -lt 20 ]; do
        umount -l "$directory" 2>/dev/null
        rm -rf "$directory" 2>/dev/null || sleep 0.2
        tries=$((tries + 1))
      done
      """
    life = ends[1]
    id = try spawn(
      ["/bin/sh", "-c", script, "supervisor", directory ?? "", log, orphans] + command,
      environment: nil, directory: "/", input: ends[0], output: nil, errors: nil)
  }

  deinit { stop() }

  /// Ends the daemon and waits until it is gone.
  package func stop() {
    lock.lock()
    defer { lock.unlock() }
    guard life >= 0 else { return }
    close(life)
    life = -1
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
  }
}
