import CLISupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Questions to a person at a terminal.
enum TerminalQuestion {
  /// Somebody sits there who can answer.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Nothing but `y` and `yes` agrees. The words have been made harmless.
  static func isAgreed(_ words: String) -> Bool {
    _ = StandardStream.errors.write(words + " [y/N] ")
    let answer = readLine()?.lowercased()
    return answer == "y" || answer == "yes"
  }
}
