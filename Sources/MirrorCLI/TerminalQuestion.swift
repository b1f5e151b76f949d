import CLISupport
import Foundation
import MailCore

/// A question to the person at the terminal.
enum TerminalQuestion {
  /// Where the errors go elsewhere, the terminal itself is told: nobody answers what he cannot read.
  static func isAgreed(_ question: String) -> Bool {
    let terminal =
      isatty(STDERR_FILENO) == 1 ? nil : FileHandle(forWritingAtPath: "/dev/tty")
    (terminal ?? .standardError).write(Data("\(question.visible) [y/N] ".utf8))
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }
}
