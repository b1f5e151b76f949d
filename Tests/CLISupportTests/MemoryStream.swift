import CLISupport
import Synchronization

/// A terminal, or a file, in memory.
final class MemoryStream: OutputStream {
  private let content = Mutex("")
  let size: (columns: Int, rows: Int)?
  let accepts: Bool

  init(columns: Int? = nil, accepts: Bool = true) {
    size = columns.map { ($0, 24) }
    self.accepts = accepts
  }

  var isTerminal: Bool { size != nil }
  var text: String { content.withLock { $0 } }

  func write(_ text: String) -> Bool {
    guard accepts else { return false }
    content.withLock { $0 += text }
    return true
  }

  /// What stands on the screen in the end.
  var screen: [String] {
    var screen = Screen()
    screen.take(text)
    return screen.lines.last == "" ? screen.lines.dropLast() : screen.lines
  }
}

/// As much of a terminal as the console uses: lines, cursor up, clear to the end of the line or screen.
private struct Screen {
  var lines = [""]
  private var row = 0
  private var column = 0

  mutating func take(_ text: String) {
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "\n": newLine()
      case "\r": column = 0
      case "\u{1B}": escape(&rest)
      default: put(character)
      }
    }
  }

  private mutating func newLine() {
    row += 1
    column = 0
    if row == lines.count { lines.append("") }
  }

  private mutating func put(_ character: Character) {
    var line = Array(lines[row])
    if column < line.count { line[column] = character } else { line.append(character) }
    lines[row] = String(line)
    column += 1
  }

  private mutating func escape(_ rest: inout Substring) {
    _ = rest.popFirst()
    let number = rest.prefix { $0.isNumber }
    rest = rest.dropFirst(number.count)
    switch rest.popFirst() {
    case "A": row -= Int(number) ?? 1
    case "K": lines[row] = String(lines[row].prefix(column))
    case "J":
      lines[row] = String(lines[row].prefix(column))
      lines.removeSubrange((row + 1)...)
    default: break  // colours
    }
  }
}
