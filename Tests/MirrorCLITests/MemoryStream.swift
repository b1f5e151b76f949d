import CLISupport
import Synchronization

/// Standard output or standard error in memory: no terminal.
final class MemoryStream: OutputStream {
  private let content = Mutex("")
  var isTerminal: Bool { false }
  var size: (columns: Int, rows: Int)? { nil }
  var text: String { content.withLock { $0 } }
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  func write(_ text: String) -> Bool {
    content.withLock { $0 += text }
    return true
  }
}
