import CLISupport
import Foundation
import MailCore

/// A question to the person at the terminal.
enum TerminalQuestion {
  /// Where standard error is no terminal, the question goes to the terminal itself, so that it can be read.
  static func isAgreed(_ question: String) -> Bool {
    let terminal =
      isatty(STDERR_FILENO) == 1 ? nil : FileHandle(forWritingAtPath: "/dev/tty")
    (terminal ?? .standardError).write(Data("\(question.visible) [y/N] ".utf8))
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }
}
