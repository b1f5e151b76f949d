import Foundation
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program in a process group of its own. The wait ends with the program itself, whatever it left in the background.
///
/// Not Foundation's `Process`, which ends only when the last child of the program has closed what it inherited.
struct ProcessGroup {
  enum End: Equatable {
    case exited(Int32)
    case killed(by: Int32)
    case timedOut
  }

  private let leader: pid_t

  /// Its output goes to our standard error: standard output is the caller's own.
  ///
  /// - Parameter input: its standard input.
  /// - Returns: nil where it could not be begun.
  init?(_ program: String, _ arguments: [String], input: Int32) {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard posix_spawnattr_init(&attributes) == 0 else { return nil }
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    // Every other descriptor of this process has close-on-exec set.
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // This process ignores it, and the program would inherit that.
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var id = pid_t()
    let words = Self.strings([program] + arguments)
    let environment = Self.strings(
      ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
    defer { for string in words + environment { free(string) } }
    guard posix_spawn(&id, program, &actions, &attributes, words, environment) == 0 else {
      return nil
    }
    leader = id
  }

  /// Waits for the program's end; call it once. Blocks.
  ///
  /// - Parameter limit: after which it is killed, with all of its group.
  func wait(atMost limit: Duration) -> End {
    RunningCommands.ofArrivals.began(-leader)
    defer { RunningCommands.ofArrivals.ended(-leader) }
    let end = ContinuousClock.now + limit
    var status: Int32 = 0
    var pause = 0.002
    var isLate = false
    while true {
      // No other process gets this number before waitpid has returned the status. Where SIGCHLD is ignored, there is no
      // status (ECHILD).
      let ended = waitpid(leader, &status, WNOHANG)
      if ended == leader || ended < 0 && errno != EINTR { break }
      if !isLate, ContinuousClock.now >= end {
        isLate = true
        kill(-leader, SIGKILL)
      }
      Thread.sleep(forTimeInterval: pause)
      pause = min(pause * 1.5, 0.1)
    }
    let signal = status & 0x7f
    if isLate { return .timedOut }
    return signal == 0 ? .exited(status >> 8 & 0xff) : .killed(by: signal)
  }

  /// As C has them; each is to be freed.
  private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }
}
