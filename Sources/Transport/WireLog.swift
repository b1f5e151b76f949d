import Logging
import MailCore
import SASL
import Synchronization

/// Where the wire is shown, line by line, with every known secret cut out. Shared by connections.
package final class WireLog: Sendable {
  private let label: String
  private let sink: @Sendable (String) -> Void
  private let patterns = Mutex<[[UInt8]]>([])

  /// - Parameter label: stands before every line: account and connection.
  package init(label: String, sink: @escaping @Sendable (String) -> Void) {
    self.label = label
    self.sink = sink
  }

  package convenience init(label: String, logger: Logger) {
    self.init(label: label) { line in logger.trace("\(line)") }
  }

  /// From now on no line shows this secret, in plain or inside Base64, whoever sends it.
  ///
  /// Shorter than three bytes it is not looked for: cutting every such letter would give it away.
  package func hide(_ secret: Secret) {
    let bytes = secret.withBytes { $0 }
    guard bytes.count >= 3 else { return }
    let forms = [bytes] + (0..<3).map { Self.encoded(bytes, after: $0) }
    patterns.withLock { patterns in
      for form in forms where !patterns.contains(form) { patterns.append(form) }
    }
  }

  /// The Base64 characters that hold nothing but the secret when other bytes stand before it.
  private static func encoded(_ bytes: [UInt8], after shift: Int) -> [UInt8] {
    let text = Base64.encode([UInt8](repeating: 0, count: shift) + bytes)
    let first = (shift * 8 + 5) / 6
    return Array(text[first..<((shift + bytes.count) * 8 / 6)])
  }

  /// Shows one line without its line end.
  func show(_ mark: String, _ line: [UInt8]) {
    let hidden = patterns.withLock { $0 }
    let text = String(decoding: Self.cut(line, hidden), as: UTF8.self).visible
    sink("\(label) \(mark) \(text)")
  }

  private static func cut(_ line: [UInt8], _ patterns: [[UInt8]]) -> [UInt8] {
    guard !patterns.isEmpty else { return line }
    var shown: [UInt8] = []
    var rest = line[...]
    while let first = rest.first {
      if let pattern = patterns.first(where: { rest.starts(with: $0) }) {
        shown += Array("<secret>".utf8)
        rest = rest.dropFirst(pattern.count)
      } else {
        shown.append(first)
        rest = rest.dropFirst()
      }
    }
    return shown
  }
}
