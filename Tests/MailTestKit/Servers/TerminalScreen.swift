import Foundation

/// A program in a terminal of 80 columns, as a person sees it and types into it. By tmux.
package final class TerminalScreen: Sendable {
  private let socket: String
  private let directory: TemporaryDirectory

  package static var isPossible: Bool { findProgram("tmux") != nil }

  /// - Parameter environment: all that the program gets, beside what tmux sets.
  package init(
    _ command: [String], environment: [String: String], columns: Int = 80, rows: Int = 50
  ) throws {
    directory = try TemporaryDirectory("screen")
    socket = directory.path + "/tmux"
    let script = directory.path + "/run"
    let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
    let words = (["env", "-i", "TERM=screen"] + variables + command).map(Self.quoted)
    // The end is told, and the screen stays to be looked at; but not for ever, whatever becomes of the test. Ctrl-C is
    // for the program alone.
    try writeFile(
      script,
      """
      trap : INT
      (sleep 400; kill -KILL $$) &
      \(words.joined(separator: " "))
      printf '\\n[status %d]\\n' $?
      sleep 300

      """)
    let settings = directory.path + "/tmux.conf"
    try writeFile(settings, "set -g history-limit 5000\nset -g status off\n")
    try runSuccessfully([
      "tmux", "-S", socket, "-f", settings, "new-session", "-d", "-x", "\(columns)", "-y",
      "\(rows)", "exec sh \(script)",
    ])
  }

  deinit { _ = try? run(["tmux", "-S", socket, "kill-server"], limit: 10) }

  private static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Everything that was written, lines as they were before the terminal broke them; blanks at their ends cut off.
  package var lines: [String] {
    get throws {
      let outcome = try runSuccessfully([
        "tmux", "-S", socket, "capture-pane", "-p", "-J", "-S", "-5000",
      ])
      var lines = outcome.outputText.split(separator: "\n", omittingEmptySubsequences: false).map {
        String($0.reversed().drop { $0 == " " }.reversed())
      }
      while lines.last == "" { lines.removeLast() }
      return lines
    }
  }

  package var text: String { get throws { try lines.joined(separator: "\n") } }

  /// Waits until the last line that stands there begins with `prompt`.
  package func expect(_ prompt: String, limit: Double = 60) throws {
    let end = Date().addingTimeInterval(limit)
    while true {
      if try lines.last?.hasPrefix(prompt) == true { return }
      if Date() > end { throw KitError("no “\(prompt)” on the screen:\n\(try text)") }
      pause(0.1)
    }
  }

  /// Types a line.
  package func type(_ text: String) throws {
    if !text.isEmpty {
      try runSuccessfully(["tmux", "-S", socket, "send-keys", "-l", "--", text])
    }
    try press("Enter")
  }

  /// A key by tmux's name: `Enter`, `C-c`, `C-d`.
  package func press(_ key: String) throws {
    try runSuccessfully(["tmux", "-S", socket, "send-keys", key])
  }

  /// Makes the terminal that wide: the program draws all anew.
  package func resize(columns: Int) throws {
    try runSuccessfully(["tmux", "-S", socket, "resize-window", "-x", "\(columns)"])
  }

  /// Waits for the prompt, then types.
  package func answer(_ prompt: String, _ text: String, limit: Double = 60) throws {
    try expect(prompt, limit: limit)
    let before = try lines.count
    try type(text)
    // The next prompt may be the same one: let the line be taken first. Whatever is answered, something is said next.
    let end = Date().addingTimeInterval(limit)
    while Date() < end, try lines.count == before, try lines.last?.hasPrefix(prompt) == true {
      pause(0.02)
    }
  }

  /// The program's exit status, once it has ended.
  package func status(limit: Double = 120) throws -> Int32 {
    let end = Date().addingTimeInterval(limit)
    while true {
      if let line = try lines.last(where: { $0.hasPrefix("[status ") }) {
        return Int32(line.dropFirst(8).dropLast()) ?? -1
      }
      if Date() > end { throw KitError("it does not end:\n\(try text)") }
      pause(0.1)
    }
  }
}
