import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a process ended, what it said, and what it used.
package struct Outcome: Sendable {
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// It outlived the limit of whoever waited for it, and was killed with its whole process group.
    case timedOut
  }
  package var ending: Ending
  package var output: [UInt8]
  package var errors: [UInt8]
  package var seconds: Double
  package var processorSeconds: Double

  /// The exit status, or nil where a signal ended it.
  package var status: Int32? {
    if case .exited(let status) = ending { status } else { nil }
  }
  package var outputText: String { String(decoding: output, as: UTF8.self) }
  package var errorText: String { String(decoding: errors, as: UTF8.self) }
  /// One text for a failed expectation.
  package var summary: String { "\(ending) after \(seconds) s\n\(outputText)\n\(errorText)" }
}

/// A process with its own process group, no standard input, and its output in unlinked files.
///
/// Output in files cannot fill a pipe, and a grandchild that keeps one open blocks nobody.
package final class Child {
  package let id: pid_t
  private let output: Int32
  private let errors: Int32
  private let began = monotonicSeconds()

  /// - Parameter environment: replaces the environment where given.
  package init(_ command: [String], environment: [String: String]? = nil, directory: String? = nil)
    throws
  {
    output = try unlinkedFile()
    errors = try unlinkedFile()
    id = try spawn(
      command, environment: environment, directory: directory, input: nil, output: output,
      errors: errors)
  }

  deinit {
    close(output)
    close(errors)
  }

  package func signal(_ number: Int32) { kill(id, number) }

  /// What it has said so far on standard error.
  package var errorsSoFar: String {
    String(decoding: (try? contents(errors)) ?? [], as: UTF8.self)
  }
  package var outputSoFar: String {
    String(decoding: (try? contents(output)) ?? [], as: UTF8.self)
  }

  /// Whether it is done; ``wait(limit:)`` has still to be called.
  package var hasEnded: Bool {
    var facts = siginfo_t()
    return waitid(P_PID, id_t(id), &facts, WEXITED | WNOHANG | WNOWAIT) == 0 && facts.si_signo != 0
  }

  /// Waits for the end; call it once.
  ///
  /// - Parameter limit: seconds from now on, after which it is killed.
  package func wait(limit: Double = 120) throws -> Outcome {
    let asked = monotonicSeconds()
    var status: Int32 = 0
    var usage = rusage()
    var timedOut = false
    var nap = 0.0005
    while true {
      let ended = wait4(id, &status, WNOHANG, &usage)
      if ended == id { break }
      if ended < 0 && errno != EINTR { throw KitError.system("wait4", errno) }
      if !timedOut, monotonicSeconds() - asked > limit {
        timedOut = true
        kill(-id, SIGKILL)
        kill(id, SIGKILL)
      }
      pause(nap)
      nap = min(nap * 1.2, 0.005)
    }
    let signal = status & 0x7f
    return Outcome(
      ending: timedOut ? .timedOut : signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal),
      output: try contents(output), errors: try contents(errors),
      seconds: monotonicSeconds() - began,
      processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime))
  }

  private func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private func contents(_ file: Int32) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = try retrying("pread") {
        pread(file, &chunk, chunk.count, off_t(bytes.count))
      }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }
}

/// Runs a command to its end.
@discardableResult
package func run(
  _ command: [String], environment: [String: String]? = nil, directory: String? = nil,
  limit: Double = 120
) throws -> Outcome {
  try Child(command, environment: environment, directory: directory).wait(limit: limit)
}

/// Runs a command that has to succeed.
@discardableResult
package func runSuccessfully(
  _ command: [String], environment: [String: String]? = nil, directory: String? = nil,
  limit: Double = 120
) throws -> Outcome {
  let outcome = try run(command, environment: environment, directory: directory, limit: limit)
  guard outcome.status == 0 else {
    throw KitError("\(command.joined(separator: " ")): \(outcome.summary)")
  }
  return outcome
}

/// The first of these that the machine has, by `PATH` and the sbin directories.
package func findProgram(_ name: String) -> String? {
  let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
  for directory in (path + ":/usr/sbin:/sbin").split(separator: ":") {
    let candidate = "\(directory)/\(name)"
    if access(candidate, X_OK) == 0 { return candidate }
  }
  return nil
}

private func unlinkedFile() throws -> Int32 {
  let path = "/tmp/mirror-kit-\(UInt64.random(in: 0...UInt64.max))"
  let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard file >= 0 else { throw KitError.system("open \(path)", errno) }
  unlink(path)
  return file
}

/// Held while a process starts, and while descriptors exist that are not yet marked close-on-exec.
let descriptors = NSLock()

/// Starts a program in a process group of its own; `input` nil is `/dev/null`.
func spawn(
  _ command: [String], environment: [String: String]?, directory: String?, input: Int32?,
  output: Int32?, errors: Int32?
) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (target, source) in [(Int32(0), input), (1, output), (2, errors)] {
    if let source {
      posix_spawn_file_actions_adddup2(&actions, source, target)
    } else {
      posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
    }
  }

  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  sigemptyset(&none)
  var all = sigset_t()
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setpgroup(&attributes, 0)
  let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
  posix_spawnattr_setflags(&attributes, Int16(flags))

  let environment = environment ?? ProcessInfo.processInfo.environment
  let command = directory.map { ["/usr/bin/env", "-C", $0] + command } ?? command
  guard let program = command.first.flatMap({ $0.contains("/") ? $0 : findProgram($0) }) else {
    throw KitError("no program \(command.first ?? "")")
  }
  var id = pid_t()
  descriptors.lock()
  defer { descriptors.unlock() }
  let code = withCStrings(command) { arguments in
    withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
      posix_spawn(&id, program, &actions, &attributes, arguments, variables)
    }
  }
  guard code == 0 else { throw KitError.system("posix_spawn \(program)", code) }
  return id
}

private func withCStrings<R>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var pointers = texts.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
