// Its `environ` is a mutable global, which Swift cannot see to be safe; this program never changes it.
#if canImport(Glibc)
  @preconcurrency import Glibc
#else
  import Darwin
#endif

/// The program that shows long output page by page: what PAGER names, else less, as git has it.
struct Pager {
  private let process: pid_t
  /// What standard output was before.
  private let terminal: Int32

  /// The command; nil where PAGER says that there is none.
  static func command(_ variable: String?) -> String? {
    let command = variable ?? "less"
    return command.isEmpty || command == "cat" ? nil : command
  }

  /// Starts it and leads standard output to it; nil where it cannot be started.
  static func begin() -> Pager? {
    guard let command = command(getenv("PAGER").map { String(cString: $0) }) else { return nil }
    // Ends by itself where one screen is enough, keeps colours, leaves the text on the screen.
    setenv("LESS", "FRX", 0)
    setenv("LV", "-c", 0)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    let process = start(command, reading: ends[0])
    close(ends[0])
    let terminal = dup(STDOUT_FILENO)
    guard let process, terminal >= 0 else {
      close(ends[1])
      return nil
    }
    _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
    dup2(ends[1], STDOUT_FILENO)
    close(ends[1])
    // Ctrl-C is for the pager.
    signal(SIGINT, SIG_IGN)
    return Pager(process: process, terminal: terminal)
  }

  /// Waits until the reader has read, and gives standard output back.
  func end() {
    dup2(terminal, STDOUT_FILENO)
    close(terminal)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    signal(SIGINT, SIG_DFL)
  }

  /// Through the shell where the command is more than words, so that a program that is missing shows at once elsewhere.
  private static func start(_ command: String, reading input: Int32) -> pid_t? {
    let isPlain = !command.contains { "|&;<>()$`\\\"' \t\n*?[#~=%".contains($0) }
    let words = isPlain ? [command] : ["sh", "-c", command]
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let environment = environ
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let environment = _NSGetEnviron().pointee
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGINT, SIGQUIT] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let status = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environment)
    return status == 0 ? process : nil
  }
}
