import CLISupport
import Foundation
import MailCore
import Setup
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The terminal's side of the set-up: paragraphs out, lines in, passwords without an echo.
final class Dialogue: Sendable {
  private let stream: StandardStream
  private let width: Int
  /// The terminal's state before the echo was switched off.
  private let kept = Mutex<termios?>(nil)

  /// - Parameter onErrors: the talk goes to standard error, because standard output is for a document.
  init(onErrors: Bool) {
    stream = onErrors ? .errors : .output
    width = min(80, max(40, stream.size?.columns ?? 80))
  }

  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

  func say(_ paragraphs: [String]) {
    for paragraph in paragraphs {
      for line in Paragraph.lines(paragraph.visible, width: width) { _ = stream.write(line + "\n") }
    }
  }

  /// Lines that are to be copied, so they are not broken.
  func show(_ lines: [String]) {
    for line in lines { _ = stream.write(line.visible + "\n") }
  }

  /// Nil at the end of the input.
  func ask(_ question: Question) -> String? {
    _ = stream.write("\n")
    say(question.text)
    let prompt = Self.prompt(question)
    let parts = Paragraph.lines(prompt, width: width)
    for line in parts.dropLast() { _ = stream.write(line + "\n") }
    _ = stream.write((parts.last ?? "") + " ")
    guard question.isSecret else { return readLine(secret: false) }
    silence()
    defer {
      restore()
      _ = stream.write("\n")
    }
    return readLine(secret: true)
  }

  /// `Use these servers? [Y/n]`, `A short name for this account [personal]:`
  static func prompt(_ question: Question) -> String {
    let hint =
      switch question.preset {
      case nil, ""?: ""
      case "y"?: " [Y/n]"
      case "n"?: " [y/N]"
      case let preset?: " [\(preset.visible)]"
      }
    return question.prompt.visible + hint + (question.prompt.hasSuffix("?") ? "" : ":")
  }

  /// What was typed before now is no answer.
  func forgetTyped() {
    if Self.isPossible { tcflush(STDIN_FILENO, TCIFLUSH) }
  }

  /// May be called from any thread, also when nothing is to be restored.
  func restore() {
    kept.withLock { state in
      guard var before = state else { return }
      tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
      state = nil
    }
  }

  private func silence() {
    kept.withLock { state in
      var mode = termios()
      guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
      state = mode
      mode.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }
  }

  private static let lineLimit = 4096

  private func readLine(secret: Bool) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < Self.lineLimit {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
      if byte == 0x0A { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
